// Readers of files: text, its sentences and words, vocabularies, batches; images as IDX.
#pragma once

#include "babi.h"
#include "batches.h"
#include "document.h"
#include "document_batch.h"
#include "idx.h"
#include "json_lines.h"
#include "labelled_text.h"
#include "loader.h"
#include "parallel_text.h"
#include "sentences.h"
#include "stream.h"
#include "text_file.h"
#include "tokenizer.h"
#include "tsv.h"
#include "utf8.h"
#include "vocabulary.h"

"""A training loop in Python gives the same bits as the same loop in C++ (same_bits.cpp)."""

import os
import struct
import subprocess

import heed
from heed import nn

PROGRAM = os.environ["HEED_SAME_BITS"]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(17, 12)
        self.layer = heed.attention.TransformerEncoderLayer(width=12, heads=3, hidden=23, dropout=0.1)
        self.pool = heed.attention.AttentionPooling(12)
        self.out = nn.Linear(12, 5)

    def forward(self, ids):
        context, _ = self.layer(self.words(ids))
        return self.out(self.pool(context).context)


def fingerprint(all):
    value = 14695981039346656037
    for tensor in all:
        for byte in memoryview(tensor.detach().contiguous()).tobytes():
            value = (value ^ byte) * 1099511628211 % 2**64
    return value


def train():
    heed.manual_seed(3)
    model = Model()
    ids, labels = heed.randint(17, (7, 11)), heed.randint(5, (7,))
    adam = heed.optim.AdamW(model.parameters(), lr=0.02, weight_decay=0.1)
    schedule = heed.optim.lr_scheduler.CosineAnnealingLR(adam, 20)
    lines = []
    for _ in range(20):
        adam.zero_grad()
        loss = nn.functional.cross_entropy(model(ids), labels)
        loss.backward()
        norm = nn.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        schedule.step()
        bits = struct.unpack("<I", struct.pack("<f", loss.item()))[0]
        of_norm = struct.unpack("<Q", struct.pack("<d", norm))[0]
        lines.append(f"{bits:08x} {of_norm:016x} {fingerprint(model.parameters()):016x}")
    return lines


def test_a_loop_in_python_gives_the_bits_of_the_loop_in_cpp():
    theirs = subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout.split("\n")
    ours = train()
    assert len(ours) == 20 and len(set(ours)) == 20
    assert ours == theirs[:20]


def test_the_number_of_threads_changes_no_bit():
    before = heed.get_num_threads()
    try:
        heed.set_num_threads(1)
        alone = train()
        heed.set_num_threads(3)
        assert train() == alone
    finally:
        heed.set_num_threads(before)


def test_kinds_of_self_attention_give_the_bits_of_cpp():
    theirs = subprocess.run([PROGRAM], check=True, capture_output=True, text=True).stdout.split("\n")[20:-1]
    ours = []
    for kind in heed.attention.self_attention_kinds():
        heed.manual_seed(5)
        attend = heed.attention.self_attention(kind.name, width=12, heads=3, max_length=16)
        x = heed.randn(2, 11, 12).requires_grad_()
        y = attend(x, mask=heed.attention.Mask.causal()).context
        (y * heed.randn(*y.shape)).sum().backward()
        ours.append(f"{kind.name} {fingerprint([y]):016x} {fingerprint([x.grad]):016x}")
    assert len(ours) >= 39 and ours == theirs

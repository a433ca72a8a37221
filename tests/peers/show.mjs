// heed-show in a real browser: types into the page of each kind of model, and looks at what it shows.
//   node show.mjs PLACE CHROMIUM HEED_SHOW NAME..   (PLACE has playwright-core, and the model NAME)
import {spawn} from 'node:child_process';
import {createRequire} from 'node:module';

const [place, browser, program, ...names] = process.argv.slice(2);
const {chromium} = createRequire(`${place}/`)('playwright-core');
let failed = 0;

function check(name, what, holds) {
  console.log(`show         ${name}: ${what}: ${holds ? 'ok' : 'FAILED'}`);
  if (!holds) failed = 1;
}

// Its address, and what ends it.
async function served(model) {
  const child = spawn(program, ['serve', '--port', '0', '--threads', '1', '--model', model]);
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', data => resolve(String(data)));
    child.once('exit', code => reject(new Error(`${program} ended with ${code}`)));
  });
  return {address: line.match(/http:\S+/)[0], end: () => child.kill('SIGINT')};
}

const shades = page => page.$$eval('.w', nodes => nodes.map(node => Number(node.style.getPropertyValue('--a') || 0)));
const texts = page => page.$$eval('.w', nodes => nodes.map(node => node.textContent));

// Waits for what the page shows, however long that takes.
async function typed(page, text) {
  await page.fill('#text', '');
  await page.type('#text', text);
  await page.waitForFunction(wanted => document.body.dataset.shown === wanted, text, {timeout: 120000});
}

const sessions = {
  async classifier(page, name) {
    await typed(page, 'The film was wonderful . I loved it !');
    const words = await texts(page), parts = await shades(page);
    check(name, 'words as they were written', words.join(' ') === 'The film was wonderful . I loved it !');
    check(name, 'the word looked at most has the full shade', Math.max(...parts) > 0.99 && parts.every(x => x >= 0));
    check(name, 'a bar for each class', (await page.$$('.bars i')).length === 2);
  },
  async translator(page, name) {
    await typed(page, 'the dog the cat');
    check(name, 'heads to choose from', (await page.$$('#look option')).length > 1);
    await page.hover('button.w');
    check(name, 'pointing at a word shades the source', Math.max(...await shades(page)) > 0.99);
    check(name, 'and tells its entropy', (await page.textContent('#seen')).includes('bits'));
    await page.selectOption('#look', {index: (await page.$$('#look option')).length - 1});
    check(name, 'the chosen head is drawn', (await page.textContent('#seen')).includes('encoder'));
  },
  async language(page, name) {
    await typed(page, 'the dog sees');
    check(name, 'what is expected next', (await page.$$('.bars i')).length === 8);
    const surprise = await shades(page);
    await page.hover('button.w:nth-of-type(5)');
    const looks = await shades(page);
    check(name, 'pointing shades by looks, causally', looks.slice(5).every(x => x === 0) && Math.max(...looks) > 0.99);
    check(name, 'which were surprises before', surprise.some((x, i) => x !== looks[i]));
  },
};

const chrome = await chromium.launch({executablePath: browser, args: ['--no-sandbox', '--disable-gpu', '--disable-quic',
  '--disable-background-networking', '--disable-component-update', '--disable-sync']});
for (const name of names) {
  const server = await served(`${place}/${name}`);
  for (const [width, scheme] of [[1280, 'light'], [390, 'dark']]) {
    const page = await chrome.newPage({viewport: {width, height: 900}, colorScheme: scheme});
    const wrong = [], elsewhere = [];
    page.on('pageerror', error => wrong.push(error.message));
    page.on('console', message => message.type() === 'error' && wrong.push(message.text()));
    page.on('request', request => request.url().startsWith(server.address) || request.url().startsWith('data:') || elsewhere.push(request.url()));
    await page.goto(server.address);
    await page.waitForSelector('.w, #state:not(:empty)');
    await sessions[name](page, `${name} at ${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(`${name} at ${width}`, 'nothing wider than the window', wide <= 0);
    check(`${name} at ${width}`, `no error, nobody else asked ${wrong.join(' ')}${elsewhere.join(' ')}`, !wrong.length && !elsewhere.length);
    await page.screenshot({path: `${place}/${name}-${width}.png`});
    await page.close();
  }
  server.end();
}
await chrome.close();
process.exit(failed);

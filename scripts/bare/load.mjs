// Calls the app's API through the proxy, sends by it, and mails from outside to the mail server, until a file is there. Prints what was
// refused, and the subjects of what was accepted, which begin with NAME. Run on the host as:
// node load.mjs URL EMAIL PASSWORD NAME FILE
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const [url, email, password, name, file = ''] = process.argv.slice(2);
const DOMAIN = 'shop.example';
const PAUSE_MS = 300;
const SENDERS = 20;
/** The mail server says that it can't yet, for example while the host is too busy to look up the DKIM key in time. */
const TEMPORARY = /"outcome":"refused".*"smtp_code":4/;
const run = promisify(execFile);
const done = { calls: 0, accepted: /** @type {string[]} */ ([]), refused: /** @type {string[]} */ ([]), longestMs: 0 };

const signedIn = await fetch(`${url}/api/v1/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ email, password }),
});
const cookie = String(signedIn.headers.get('set-cookie')).split(';')[0] ?? '';
await Promise.all([repeat(read), repeat(send), repeat(mail)]);
console.log(JSON.stringify(done));

function read() {
  return call('GET', '/domains');
}

async function send(number) {
  const subject = `${name} by the API ${number}`;
  // A single sender would reach its hourly limit.
  const from = { email: `sender-${number % SENDERS}@${DOMAIN}` };
  const message = { from, to: [{ email: `bo@${DOMAIN}` }], subject, text_body: 'It works.' };
  if (await call('POST', '/send', message)) done.accepted.push(subject);
}

/** A server that sends repeats what is deferred, but not what finds no server. */
async function mail(number) {
  const subject = `${name} by SMTP ${number}`;
  const text = `From: far@elsewhere.example\r\nTo: bo@${DOMAIN}\r\nSubject: ${subject}\r\n\r\nIt works.\r\n`;
  const args = [
    '-sS',
    'smtp://127.0.0.1:25',
    '--mail-from',
    'far@elsewhere.example',
    '--mail-rcpt',
    `bo@${DOMAIN}`,
    '-T',
    '-',
  ];
  done.calls += 1;
  try {
    const started = run('curl', args);
    started.child.stdin?.end(text);
    await started;
    done.accepted.push(subject);
  } catch (error) {
    if (!/\b4\d\d\b/.test(error.stderr)) done.refused.push(`${subject}: ${error.stderr}`);
  }
}

/** @returns {Promise<boolean>} whether it succeeded */
async function call(method, path, body) {
  const startedAt = Date.now();
  done.calls += 1;
  const headers = { cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const problem = await fetch(`${url}/api/v1${path}`, { method, headers, body: body && JSON.stringify(body) }).then(
    async (response) => (response.ok ? '' : `${response.status} ${await response.text()}`),
    (error) => String(error.cause ?? error),
  );
  done.longestMs = Math.max(done.longestMs, Date.now() - startedAt);
  if (TEMPORARY.test(problem)) {
    await sleep(PAUSE_MS);
    return call(method, path, body);
  }
  if (problem) done.refused.push(`${new Date().toISOString()} ${method} ${path}: ${problem}`);
  return problem === '';
}

async function repeat(work) {
  for (let number = 1; !existsSync(file); number += 1) {
    await work(number);
    await sleep(PAUSE_MS);
  }
}

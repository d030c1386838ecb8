import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type DeliveredReport, startReportServer } from './report-server';

async function start(accept: (report: DeliveredReport) => Promise<void>) {
  const dir = mkdtempSync(join(tmpdir(), 'reports-'));
  const path = join(dir, 'reports.sock');
  const server = await startReportServer({ path, accept, onError: () => {} });
  onTestFinished(async () => {
    await server.close();
    rmSync(dir, { recursive: true });
  });
  return path;
}

/** Delivers by LMTP. @returns the replies to the message, one per recipient */
async function deliver(path: string, to: string[], text: string): Promise<string[]> {
  const socket = connect(path).setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let pending = '';
  const reply = async (): Promise<string> => {
    for (;;) {
      const match = /^(?:\d{3}-.*\r\n)*(\d{3} .*)\r\n/.exec(pending);
      if (match) {
        pending = pending.slice(match[0].length);
        return match[1] as string;
      }
      pending += await new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    }
  };
  const command = (line: string) => {
    socket.write(`${line}\r\n`, 'latin1');
    return reply();
  };
  await reply();
  for (const line of ['LHLO mx.example', 'MAIL FROM:<>', ...to.map((address) => `RCPT TO:<${address}>`)]) {
    expect(await command(line)).toMatch(/^250/);
  }
  expect(await command('DATA')).toMatch(/^354/);
  const replies = [await command(`${text}\r\n.`)];
  while (replies.length < to.length) replies.push(await reply());
  return replies;
}

it('mail is passed on with its addresses, and accepted for each once it is handled', async () => {
  const handled: DeliveredReport[] = [];
  const path = await start(async (report) => void handled.push(report));
  const to = ['dmarc-reports@a.example', 'tls-reports@b.example'];
  expect(await deliver(path, to, 'Subject: x\r\n\r\n..dots')).toEqual([
    '250 2.0.0 Ok: report handled',
    '250 2.0.0 Ok: report handled',
  ]);
  expect(handled.map(({ raw, addresses }) => [Buffer.from(raw).toString(), addresses])).toEqual([
    ['Subject: x\r\n\r\n.dots\r\n', to],
  ]);
});

it('mail that can’t be handled now stays with Postfix', async () => {
  const path = await start(() => Promise.reject(new Error('the database is away')));
  expect(await deliver(path, ['dmarc-reports@a.example'], 'Subject: x')).toEqual([
    '451 4.3.0 The report cannot be stored, try again later',
  ]);
});

it('mail that is far too long is accepted, and cut', async () => {
  let length = 0;
  const path = await start(async ({ raw }) => {
    length = raw.byteLength;
  });
  const line = `${'x'.repeat(900)}\r\n`;
  expect(await deliver(path, ['dmarc-reports@a.example'], line.repeat(30_000))).toEqual([
    '250 2.0.0 Ok: report handled',
  ]);
  expect(length).toBeGreaterThan(16 * 1024 * 1024);
  expect(length).toBeLessThan(17 * 1024 * 1024);
});

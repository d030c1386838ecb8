import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../scripts/process/free-port.mjs';
import { expect, test, url } from '../../support/fixtures';
import { makeWebhook } from './webhook';

const PROGRAMS = [
  { button: 'Node.js', begins: /^import \{ createHmac/, file: 'verify.mjs', command: process.execPath },
  ...(spawnSync('python3', ['--version']).status === 0
    ? [{ button: 'Python', begins: /^import hashlib/, file: 'verify.py', command: 'python3' }]
    : []),
];

test('shows sample code that accepts valid signatures and rejects all others', async ({
  signedIn: page,
  api,
  check,
}) => {
  const { id, secret } = await makeWebhook(api);
  const folder = mkdtempSync(path.join(tmpdir(), 'postroom-verify-'));
  const body = '{"id":"<ü@a.example>","event":"mail.sent","timestamp":"2026-11-21T09:41:07.000Z","data":{}}';
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const other = createHmac('sha256', `${secret}x`).update(body).digest('hex');
  await page.goto(`${url()}/webhooks/${id}?tab=verify`);
  for (const { button, begins, file, command } of PROGRAMS) {
    await page.getByRole('radio', { name: button, exact: true }).click();
    writeFileSync(path.join(folder, file), (await page.getByText(begins).textContent()) as string);
    const port = await freePort();
    const env = { ...process.env, POSTROOM_WEBHOOK_SECRET: secret, PORT: String(port) };
    const program = spawn(command, [file], { cwd: folder, env, stdio: 'ignore' });
    const answer = (headers: Record<string, string>, sent = body) => statusOf(port, headers, sent);
    await expect.poll(() => answer({}), { message: `${button} is listening` }).toBe(401);
    expect(await answer({ 'X-Service-Signature': signature })).toBe(204);
    expect(await answer({ 'X-Service-Signature': other, 'X-Service-Signature-Previous': signature })).toBe(204);
    expect(await answer({ 'X-Service-Signature': other })).toBe(401);
    expect(await answer({ 'X-Service-Signature': signature }, body.replace('sent', 'spam'))).toBe(401);
    expect(await answer({ 'X-Service-Signature': signature.slice(2) })).toBe(401);
    expect(await answer({ 'X-Service-Signature': 'ü' })).toBe(401);
    await stop(program);
  }
  await page.getByRole('radio', { name: 'openssl', exact: true }).click();
  writeFileSync(path.join(folder, 'body.json'), body);
  const command = (await page.getByText(/^openssl dgst/).textContent()) as string;
  const env = { ...process.env, POSTROOM_WEBHOOK_SECRET: secret };
  expect(execFileSync('bash', ['-c', command], { cwd: folder, env }).toString()).toContain(signature);
  await check();
  rmSync(folder, { recursive: true });
});

async function statusOf(port: number, headers: Record<string, string>, body: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body }).catch(() => null);
  return response?.status ?? 0;
}

function stop(program: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => program.once('exit', resolve));
  program.kill();
  return ended;
}

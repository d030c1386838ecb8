import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { repeat } from '@/server/background/repeat';
import { log } from '@/server/log';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { client, keyClient, sessionClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

const mta = await startScriptedMta();
afterAll(() => mta.server.close());

const documented = documentedFields();
const lines: Record<string, unknown>[] = [];
let text = '';

const { level } = log;
afterAll(() => {
  log.level = level;
});
beforeAll(() => {
  log.level = 'trace';
  const { [pino.symbols.streamSym]: stream } = log as unknown as Record<symbol, { write(line: string): void }>;
  vi.spyOn(stream as { write(line: string): void }, 'write').mockImplementation((line) => {
    text += line;
    lines.push(JSON.parse(line));
  });
});
afterEach(() => {
  lines.length = 0;
  text = '';
});

const names = (line: object | undefined) => Object.keys(line ?? {}).toSorted();

describe('a line in the log', () => {
  it('of an API call has the documented fields, and nothing secret', async () => {
    const caller = await keyClient();
    const { cookie, ...signedIn } = await sessionClient();
    await caller.get('/domains?q=secret-in-the-query');
    await signedIn.get('/auth/me');
    await client().post('/auth/login', { email: 'nobody@a.example', password: 'secret password of a sign-in' });
    expect(lines.map(({ msg }) => msg)).toEqual(['request', 'request', 'request']);
    expect(names(lines[0])).toEqual(
      ['admin_id', 'api_key_id', 'duration_ms', 'ip', 'level', 'method', 'msg'].concat([
        'request_id',
        'route',
        'status',
        'time',
      ]),
    );
    expect(lines[0]).toMatchObject({ level: 30, route: '/domains', status: 200, api_key_id: caller.keyId });
    for (const secret of [caller.key, cookie, 'secret-in-the-query', 'secret password'])
      expect(text).not.toContain(secret);
  });

  it('of a message that is sent has the documented fields, and neither addresses nor content', async () => {
    const domain = await makeDomain();
    const api = await keyClient();
    const send = () =>
      api.post('/send', {
        from: { email: `app@${domain.name}` },
        to: [{ email: 'ann@far.example' }],
        subject: 'A confidential subject',
        text_body: 'A confidential text',
      });
    await send();
    mta.state.script = (point) => (point === 'RCPT' ? { say: '550 5.1.1 No\r\n' } : undefined);
    await send();
    mta.state.script = () => undefined;
    expect(lines.map(({ status }) => status)).toEqual([200, 500]);
    for (const line of lines) for (const name of names(line)) expect(documented).toContain(name);
    expect(text).not.toMatch(/confidential|far\.example/);
  });

  it('of a background task that fails has its name and the error, once until it works again', async () => {
    let runs = 0;
    const task = repeat('a task of the test', 60_000, async () => {
      runs += 1;
      if (runs < 3) throw Object.assign(new Error('of the test'), { code: 'EXAMPLE' });
    });
    for (let run = 1; run <= 3; run++) {
      task.runNow();
      await expect.poll(() => runs).toBe(run);
    }
    await task.end();
    expect(lines).toMatchObject([
      { level: 50, task: 'a task of the test', error: { type: 'Error', message: 'of the test', code: 'EXAMPLE' } },
      { level: 30, task: 'a task of the test' },
    ]);
    expect(names(lines[0]?.error as object)).toEqual(['code', 'message', 'stack', 'type']);
  });

  it('of a defect has the request and the error, which the response does not', async () => {
    const api = await keyClient();
    await db.$executeRaw`ALTER TABLE alias RENAME TO alias_elsewhere`;
    const answer = await api.get('/aliases');
    await db.$executeRaw`ALTER TABLE alias_elsewhere RENAME TO alias`;
    expect(answer).toMatchObject({ status: 500, error: { code: 'INTERNAL_ERROR' } });
    const line = lines.find(({ level }) => level === 50);
    expect(line).toMatchObject({ msg: 'request failed', request_id: answer.meta.request_id, route: '/aliases' });
    for (const name of names(line)) expect(documented).toContain(name);
    expect(text).not.toContain(api.key);
    expect(process.env.SECRET_KEY && text.includes(process.env.SECRET_KEY)).toBe(false);
  });
});

describe('every call of the log', () => {
  const calls = sourceFiles('src').flatMap((file) =>
    fieldsIn(readFileSync(file, 'utf8')).map((name) => ({ file, name })),
  );

  it('has documented fields only', () => {
    expect(calls.length).toBeGreaterThan(60);
    expect(calls.filter(({ name }) => !documented.includes(name))).toEqual([]);
  });

  it('is the only use of a field that is documented', () => {
    const byPino = ['level', 'time', 'msg'];
    const used = new Set(calls.map(({ name }) => name));
    // Built in one object before the call.
    const ofRequests = ['method', 'route', 'status', 'duration_ms', 'ip', 'admin_id', 'api_key_id'];
    expect(documented.filter((name) => ![...byPino, ...ofRequests].includes(name) && !used.has(name))).toEqual([]);
  });
});

/** The first column of the table of fields. */
function documentedFields(): string[] {
  const [, chapter = ''] = readFileSync('docs/monitoring.md', 'utf8').split('\n## The log\n');
  const rows = chapter.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^src\/(test|demo|server\/prisma)\//.test(path));
}

/** The names in the object that a call of the log begins with. Spread objects are left out. */
function fieldsIn(source: string): string[] {
  const objects = source.matchAll(/\blog\.(?:trace|debug|info|warn|error|fatal)\(\s*\{/g);
  return [...objects].flatMap(({ index, 0: start }) => namesFrom(source, index + start.length));
}

function namesFrom(source: string, from: number): string[] {
  let depth = 0;
  let at = from;
  const parts = [''];
  for (; depth >= 0 && at < source.length; at++) {
    const character = source[at] ?? '';
    if ('({['.includes(character)) depth += 1;
    if (')}]'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else if (depth >= 0) parts[parts.length - 1] += character;
  }
  return parts.flatMap((part) => /^\s*(\w+)\s*(?::|$)/.exec(part)?.[1] ?? []);
}

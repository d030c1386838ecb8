import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { askAgent } from '@/modules/mail-server/service';
import { EXAMPLES } from '@/modules/sieve-filters/components/script/examples';
import { files } from '../support/filtered-mailbox';
import { db, mailServer } from '../support/mail-server';

describe('checking a script', () => {
  it('accepts every example of the console', async () => {
    for (const { script } of EXAMPLES) expect(await check(script)).toEqual([]);
  });

  const check = async (script: string) => (await askAgent(db, 'sieve.check', { script })).errors;

  it('accepts scripts with warnings', async () => {
    expect(await check(files('a', 'A'))).toEqual([]);
    expect(await check('require "vacation";\nvacation :days 7 "Away";\n# no line end')).toEqual([]);
  });

  it('reports each error with its line and without file names', async () => {
    const errors = await check(
      'require "fileinto";\n\nfileinto "A"\n;\nfrobnicate;\nif header :is "subject" { keep; }\n',
    );
    expect(errors.map(({ line }) => line)).toEqual([5, 6]);
    expect(errors[0]?.message).toMatch(/unknown command .*frobnicate/);
    const [unfinished] = await check('keep;\nif true {');
    expect(unfinished).toEqual({ line: 2, message: expect.stringContaining('end of') });
    expect(JSON.stringify([errors, unfinished])).not.toMatch(/\/tmp|sieve|script:/);
  });

  it('rejects other scripts, notifications, programs and unknown extensions', async () => {
    for (const extension of ['include', 'enotify', 'vnd.dovecot.pipe', 'vnd.dovecot.execute', 'nonsense']) {
      const [error] = await check(`require "${extension}";\n`);
      expect(error).toEqual({ line: 1, message: expect.stringContaining(extension) });
    }
  });

  it('rejects more than 64 KB, and leaves no file behind', async () => {
    expect(await check(`# ${'é'.repeat(33_000)}\n`)).toEqual([
      { line: null, message: expect.stringContaining('65536') },
    ]);
    await check('keep;');
    expect(readdirSync(join(mailServer.data, 'run')).filter((name) => name.startsWith('sieve-'))).toEqual([]);
  });
});

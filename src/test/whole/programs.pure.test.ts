import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundled } from '../../../scripts/steps/programs.mjs';

const PROGRAM = 'src/agent/main.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'programs-'));
  for (const path of ['package-lock.json', 'scripts/steps/programs.mjs']) write(path, '{}');
  write('tsconfig.json', '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }');
  write(PROGRAM, 'import { startThread } from "@/threads/start";\nstartThread();');
  write(
    'src/threads/start.ts',
    `import { Worker } from 'node:worker_threads';
     export const startThread = () => new Worker(new URL('./thread.ts', import.meta.url));`,
  );
  write('src/threads/thread.ts', "import { text } from './text';\nconst said: string = text;\nconsole.log(said);");
  write('src/threads/text.ts', "export const text = 'first';");
});

afterEach(() => rmSync(root, { recursive: true }));

describe('bundled', () => {
  it('returns a program that starts its threads, again as long as no source has changed', async () => {
    expect(run(await bundled(root, PROGRAM))).toBe('first\n');
    const program = await bundled(root, PROGRAM);
    writeFileSync(program, "console.log('kept');");
    expect(run(await bundled(root, PROGRAM))).toBe('kept\n');
  });

  it.each([
    ['a source of a thread', 'src/threads/text.ts', "export const text = 'second';"],
    [
      'a path of tsconfig.json',
      'tsconfig.json',
      '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "#": ["."] } } }',
    ],
    ['a package', 'package-lock.json', '{ "packages": {} }'],
  ])('bundles it again after a change of %s', async (_, path, content) => {
    const program = await bundled(root, PROGRAM);
    writeFileSync(program, "console.log('stale');");
    write(path, content);
    expect(run(await bundled(root, PROGRAM))).toBe(path.endsWith('text.ts') ? 'second\n' : 'first\n');
  });

  it('leaves the former program when a source has an error, and tries again', async () => {
    await bundled(root, PROGRAM);
    write('src/threads/text.ts', 'export const text = ');
    await expect(bundled(root, PROGRAM)).rejects.toThrow('text.ts:1:20');
    await expect(bundled(root, PROGRAM)).rejects.toThrow('text.ts:1:20');
    write('src/threads/text.ts', "export const text = 'corrected';");
    expect(run(await bundled(root, PROGRAM))).toBe('corrected\n');
  });
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function run(program: string): string {
  return execFileSync(process.execPath, [program], { encoding: 'utf8' });
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { wrongOrder } from '../../../scripts/testing/migration-order.mjs';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'migration-order-'));
  migration('20260101100000_first');
  migration('20260103100000_landed');
});
afterEach(() => rmSync(root, { recursive: true }));

it('names a migration that sorts before the last that landed', () => {
  commit();
  migration('20260102100000_late');
  expect(wrongOrder(root)).toBe(
    'prisma/migrations/20260102100000_late sorts before 20260103100000_landed, which has landed: rename it to the day after that.',
  );
});

it('accepts those after it, also when they are committed on a branch', () => {
  commit();
  migration('20260104100000_new');
  expect(wrongOrder(root)).toBe('');
  git('checkout', '-q', '-b', 'other');
  commit();
  migration('20260103200000_newer');
  expect(wrongOrder(root)).toBe('');
});

it('accepts any without Git', () => {
  expect(wrongOrder(root)).toBe('');
});

function migration(name: string): void {
  mkdirSync(join(root, 'prisma/migrations', name), { recursive: true });
  writeFileSync(join(root, 'prisma/migrations', name, 'migration.sql'), 'SELECT 1;');
}

function commit(): void {
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'user.name=Ann', '-c', 'user.email=ann@shop.example', 'commit', '-q', '-m', 'migrations');
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: root });
}

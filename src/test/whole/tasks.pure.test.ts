import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('runs the tasks of every module that declares some', () => {
  const declared = readdirSync('src/modules').filter((module) => existsSync(`src/modules/${module}/tasks.ts`));
  const run = [...readFileSync('src/tasks.ts', 'utf8').matchAll(/'@\/modules\/([\w-]+)\/tasks'/g)].map(
    ([, module]) => module,
  );
  expect(declared.length).toBeGreaterThan(10);
  expect(run.toSorted()).toEqual(declared.toSorted());
});

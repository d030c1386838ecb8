import { expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { Database } from '@/server/database/db';
import { db } from '@/test/database';
import { addLine, writeOutput } from './output';

async function makeOperation(): Promise<string> {
  const operation = { host: 'mx.example', action: 'reload', dryRun: false, requestedById: uuidv7() } as const;
  const ended = { state: 'interrupted', message: 'x', finishedAt: new Date() } as const;
  const request = { requestedByEmail: 'a@a.example', requestId: uuidv7(), ipAddress: '::1', leasedUntil: new Date() };
  const { id } = await db.operation.create({ data: { ...operation, ...request, ...ended } });
  return id;
}

async function linesOf(operationId: string): Promise<string[]> {
  const lines = await db.operationLine.findMany({ where: { operationId }, orderBy: { number: 'asc' } });
  return lines.map(({ text }) => text);
}

it('lines that are reported while others are being stored are stored too', async () => {
  const id = await makeOperation();
  let hasStarted = () => {};
  const started = new Promise<void>((resolve) => {
    hasStarted = resolve;
  });
  let store = () => {};
  const mayStore = new Promise<void>((resolve) => {
    store = resolve;
  });
  const slow = db.$extends({
    query: {
      operationLine: {
        async createMany({ args, query }) {
          hasStarted();
          await mayStore;
          return query(args);
        },
      },
    },
  }) as unknown as Database;
  const output = writeOutput(slow, id);
  output.report('step', 'first');
  await started;
  output.report('output', 'second');
  store();
  await output.end();
  expect(await linesOf(id)).toEqual(['first', 'second']);
});

it('a line about an operation that has ended follows the others, and one about none is left out', async () => {
  const id = await makeOperation();
  const output = writeOutput(db, id);
  output.report('step', 'Stopping Redis');
  await output.end();
  await addLine(db, id, 'It restored 2 former files.');
  await addLine(db, uuidv7(), 'It restored 2 former files.');
  expect(await linesOf(id)).toEqual(['Stopping Redis', 'It restored 2 former files.']);
});

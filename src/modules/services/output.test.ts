import { expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { Database } from '@/server/db';
import { db } from '@/test/database';
import { writeOutput } from './output';

it('lines that are reported while others are being stored are stored too', async () => {
  const id = uuidv7();
  const operation = { host: 'mx.example', action: 'reload', dryRun: false, requestedById: uuidv7() };
  const request = { requestedByEmail: 'a@a.example', requestId: uuidv7(), ipAddress: '::1', leasedUntil: new Date() };
  await db.operation.create({ data: { id, ...operation, ...request } });
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
  const lines = await db.operationLine.findMany({ where: { operationId: id }, orderBy: { number: 'asc' } });
  expect(lines.map(({ text }) => text)).toEqual(['first', 'second']);
});

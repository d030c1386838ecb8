import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { database } from '@/server/database/db';
import { randomToken } from '@/server/secrets/crypto';
import { env } from '@/server/settings/env';
import { seedContent } from './mail/content';
import { NotEmptyError, seedDemo } from './seed';

const PASSWORD_BYTES = 12;

/** Seeds the database of `npm run demo` and stores the credentials in demo.json. */
async function run(): Promise<void> {
  const seeded = await seedDemo(database(), { now: new Date(), password: randomToken(PASSWORD_BYTES) });
  await seedContent(database());
  const path = join(env().dataDir, 'demo.json');
  const content = { ...seeded, seededAt: new Date().toISOString() };
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await database().$disconnect();
}

await run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof NotEmptyError ? error.message : (error as Error).stack}\n`);
  process.exit(1);
});

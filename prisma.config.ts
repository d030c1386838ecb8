import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// The CLI downloads its schema engine from a server of its own unless it is given one. Ours comes with npm.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(new URL('scripts/schema-engine.mjs', import.meta.url));

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});

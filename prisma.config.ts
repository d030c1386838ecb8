import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// Without this setting, the CLI downloads its schema engine. Ours comes with npm (docs/contributing/decisions/0003).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL('scripts/postgres/schema-engine.mjs', import.meta.url),
);

export default defineConfig({
  schema: 'prisma/schema',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});

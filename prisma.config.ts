import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

// Without this setting, the CLI downloads its schema engine. Ours comes with npm (docs/decisions/0003).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= fileURLToPath(
  new URL('scripts/postgres/schema-engine.mjs', import.meta.url),
);

export default defineConfig({
  schema: 'prisma/schema',
  // Archives of an older version are migrated in steps (src/modules/backups/scratch).
  migrations: { path: process.env.MIGRATIONS_FOLDER ?? 'prisma/migrations' },
  datasource: { url: process.env.DATABASE_URL ?? '' },
});

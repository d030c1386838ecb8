import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it } from 'vitest';

it("the mail server's role can be prepared without a superuser, as on a managed Postgres", async () => {
  const suffix = randomBytes(6).toString('hex');
  const [app, creator] = [`app_${suffix}`, `creator_${suffix}`];
  const client = new pg.Client(process.env.DATABASE_URL);
  const warnings: (string | undefined)[] = [];
  client.on('notice', ({ severity, message }) => severity === 'WARNING' && warnings.push(message));
  await client.connect();
  try {
    // The app owns what role.sql grants, as after its first start. Other tests may have made mta_read as the superuser.
    await client.query(`BEGIN;
      CREATE ROLE ${app};
      CREATE ROLE ${creator} CREATEROLE IN ROLE ${app};
      DO $$
      DECLARE
        called regprocedure;
      BEGIN
        EXECUTE format('ALTER DATABASE %I OWNER TO ${app}', current_database());
        ALTER SCHEMA mta OWNER TO ${app};
        ALTER TABLE public.domain OWNER TO ${app};
        ALTER VIEW mta.sieve_script OWNER TO ${app};
        ALTER TABLE mta.used_space OWNER TO ${app};
        FOR called IN SELECT oid FROM pg_proc WHERE pronamespace = 'mta'::regnamespace LOOP
          EXECUTE format('ALTER FUNCTION %s OWNER TO ${app}', called);
        END LOOP;
        IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'mta_read') THEN
          GRANT mta_read TO ${creator} WITH ADMIN OPTION;
        END IF;
      END
      $$;
      SET LOCAL ROLE ${creator};`);
    await client.query(readFileSync('deploy/mail/role.sql', 'utf8'));
    const { rows } = await client.query(`
      SELECT has_function_privilege('mta_read', 'mta.is_domain'::regproc, 'EXECUTE') AS calls,
             has_database_privilege('mta_read', current_database(), 'TEMPORARY') AS "makesTemporaryTables"`);
    expect(rows).toEqual([{ calls: true, makesTemporaryTables: false }]);
    expect(warnings).toEqual([
      `${creator} isn't a superuser, so the mail server's role can create large objects. The rest works as usual.`,
    ]);
  } finally {
    await client.end();
  }
});

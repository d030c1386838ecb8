import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = process.cwd();

const allowed = {
  'src/lib/roles.ts': 'export const role = 1;',
  'src/lib/format.ts': "import { role } from '@/lib/roles';\nexport const format = role;",
  'src/server/db.ts': "import '@/server/prisma/client';\nexport const db = 1;",
  'src/server/prisma/client.ts': 'export const client = 1;',
  'src/server/db.test.ts': "import './db';\nimport '@/test/factories';\nimport 'vitest';",
  'src/test/database.ts': "export { db } from '@/server/db';",
  'src/test/factories.ts': "import './database';\nexport const make = 1;",
  'src/mail/submission/submit.ts': "import { role } from '@/lib/roles';\nexport const submit = role;",
  'src/components/trpc.tsx':
    "import type { AppRouter } from '@/modules/router';\nexport const trpc = <p>{0 as AppRouter}</p>;",
  'src/modules/router.ts': "import { aliases } from './aliases/router';\nexport type AppRouter = typeof aliases;",
  'src/modules/aliases/router.ts': "import { list } from './service';\nexport const aliases = list;",
  'src/modules/aliases/schema.ts': "import { role } from '@/lib/roles';\nexport const schema = role;",
  'src/modules/aliases/compose.ts': "import { db } from '@/server/db';\nexport const compose = db;",
  'src/modules/aliases/limits.ts': 'export const limits = 1;',
  'src/modules/aliases/service.ts':
    "import { db } from '@/server/db';\nimport { submit } from '@/mail/submission/submit';\nimport { get } from '@/modules/domains/service';\nexport const list = [db, submit, get];",
  'src/modules/aliases/components/page.tsx':
    "import { limits } from '../limits';\nimport { schema } from '../schema';\nexport const Page = () => <p>{schema + limits}</p>;",
  'src/modules/domains/service.ts': 'export const get = 1;',
  'src/modules/domains/dkim.ts': 'export const dkim = 1;',
  'src/demo/seed.ts': "import { get } from '@/modules/domains/service';\nexport const seed = get;",
  'src/app/page.tsx': "export { Page as default } from '@/modules/aliases/components/page';",
};

const forbidden: [rule: string, path: string, content: string][] = [
  ['lib-imports-only-lib', 'src/lib/imports-a-component.ts', "import '@/components/trpc';"],
  ['components-import-only-lib', 'src/components/imports-a-module.tsx', "import '@/modules/aliases/schema';"],
  ['router-type-only', 'src/components/runs-the-router.ts', "import '@/modules/router';"],
  ['server-and-mail-below-modules', 'src/server/imports-a-module.ts', "import '@/modules/aliases/service';"],
  ['server-and-mail-below-modules', 'src/mail/imports-a-module.ts', "import '@/modules/aliases/schema';"],
  ['mail-without-server', 'src/mail/reads-the-database.ts', "import '@/server/db';"],
  ['server-without-mail', 'src/server/sends.ts', "import '@/mail/submission/submit';"],
  ['modules-below-app', 'src/modules/aliases/routes.ts', "import '@/app/page';"],
  [
    'modules-through-service-or-schema',
    'src/modules/aliases/imports-an-internal.ts',
    "import '@/modules/domains/dkim';",
  ],
  ['services-without-router', 'src/modules/domains/imports-its-router.ts', "import './router';"],
  ['browser-safe', 'src/modules/domains/schema.ts', "import type { get } from './service';"],
  ['browser-safe', 'src/modules/domains/components/page.tsx', "import '@/server/db';"],
  ['browser-safe', 'src/modules/domains/dns/lists.ts', "import '@/server/db';"],
  ['browser-safe-transitively', 'src/modules/aliases/components/form.tsx', "import '../compose';"],
  ['browser-safe-without-node', 'src/lib/reads-files.ts', "import 'node:fs';"],
  ['prisma-in-services', 'src/modules/domains/router.ts', "import type { client } from '@/server/prisma/client';"],
  ['prisma-in-services', 'src/app/client.ts', "import '@prisma/client';"],
  ['app-routes-only', 'src/app/sends.ts', "import '@/mail/submission/submit';"],
  ['production-without-tests', 'src/server/uses-a-test.ts', "import './db.test';"],
  ['pure-tests-without-database', 'src/lib/makes-rows.pure.test.ts', "import '@/test/factories';"],
  ['app-without-demo', 'src/modules/domains/seeds.ts', "import '@/demo/seed';"],
  ['demo-without-pages', 'src/demo/opens-a-page.ts', "import '@/app/page';"],
  ['scripts-import-only-settings', 'scripts/imports-the-app.mjs', "import '../src/lib/roles.ts';"],
  ['no-unresolvable', 'src/lib/imports-nothing.ts', "import './not-there';"],
  ['no-cycles', 'src/lib/one.ts', "import './other';"],
  ['no-development-packages', 'src/server/ships-a-test-library.ts', "import 'fast-check';"],
];

const restOfTheCycle = { 'src/lib/other.ts': "import './one';" };

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe('the import rules', () => {
  let report: string;

  beforeAll(() => {
    report = check({
      ...allowed,
      ...restOfTheCycle,
      ...Object.fromEntries(forbidden.map(([, path, content]) => [path, content])),
    });
  });

  it.each(forbidden)('%s catches %s', (rule, path) => {
    expect(report).toContain(`${rule}: ${path} → `);
  });

  it('report only violations', () => {
    const reported = [...report.matchAll(/: (\S+) → /g)].map(([, path]) => path);
    expect(reported.filter((path) => path && path in allowed)).toEqual([]);
  });

  it('allow other imports, including the type of the router', () => {
    expect(check(allowed)).toMatch(/^exit 0\n0 forbidden imports in \d\d files/);
  });

  it('fail if there are no files', () => {
    expect(check({ 'src/readme.txt': '' })).toMatch(/^exit 1\n0 forbidden imports in 0 files/);
  });
});

function check(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'postroom-imports-'));
  folders.push(folder);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const packages = { dependencies: { '@prisma/client': '*' }, devDependencies: { 'fast-check': '*', vitest: '*' } };
  for (const [path, content] of Object.entries({ ...files, 'package.json': JSON.stringify(packages) })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const args = [join(root, 'scripts/checks/check-imports.mjs'), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return `exit ${status}\n${stdout}${stderr}`;
}

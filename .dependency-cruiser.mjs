// Import rules: app → modules → server, mail → lib, and components → lib. scripts/checks/check-imports.mjs applies them,
// src/test/whole/import-rules.pure.test.ts tests them.
const TESTS = '\\.test\\.tsx?$|^src/test/|^e2e/';
const BROWSER_SAFE =
  '^src/(lib|components)/|^src/modules/[^/]+/(components/|schema\\.ts$|lists\\.ts$|[^/]+/lists\\.ts$)';
const SERVER_SIDE = '^src/(server|mail)/|^src/modules/[^/]+/(service|router)\\.ts$';
const MODULE_ENTRY_POINTS = '^src/modules/[^/]+/(service|schema|lists)\\.ts$';
const APP_ROUTER = '^src/modules/router\\.ts$';
const PRISMA = '^src/server/prisma/|(^|/)node_modules/@prisma/(client|adapter-pg)(/|$)';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const onAllImports = [
  {
    name: 'lib-imports-only-lib',
    comment: 'src/lib runs everywhere, so it imports no other folder of src.',
    severity: 'error',
    from: { path: '^src/lib/', pathNot: TESTS },
    to: { path: '^src/', pathNot: '^src/lib/' },
  },
  {
    name: 'components-import-only-lib',
    comment: "Shared components import no module, except the type of the app's router.",
    severity: 'error',
    from: { path: '^src/components/', pathNot: TESTS },
    to: { path: '^src/', pathNot: ['^src/(components|lib)/', APP_ROUTER] },
  },
  {
    name: 'links-load-ahead-when-near',
    comment: "NearLink loads a page ahead under the pointer; Next's own link does for every row on the screen.",
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/components/near-link\\.tsx$' },
    to: { path: '(^|/)next/link(\\.|$)' },
  },
  {
    name: 'server-and-mail-below-modules',
    comment: 'src/server and src/mail are the layer below modules.',
    severity: 'error',
    from: { path: '^src/(server|mail)/', pathNot: TESTS },
    to: { path: '^src/', pathNot: '^src/(server|mail|lib)/' },
  },
  {
    name: 'mail-without-server',
    comment: 'src/mail is a set of ports: its dependencies are passed in.',
    severity: 'error',
    from: { path: '^src/mail/', pathNot: TESTS },
    to: { path: '^src/server/' },
  },
  {
    name: 'server-without-mail',
    comment: 'src/server and src/mail are independent of each other.',
    severity: 'error',
    from: { path: '^src/server/', pathNot: TESTS },
    to: { path: '^src/mail/' },
  },
  {
    name: 'modules-below-app',
    comment: 'Modules never import routing.',
    severity: 'error',
    from: { path: '^src/modules/', pathNot: TESTS },
    to: { path: '^src/app/|^src/[^/]+$' },
  },
  {
    name: 'modules-through-service-or-schema',
    comment: 'A module uses another module only through its service.ts, schema.ts or lists.ts.',
    severity: 'error',
    from: { path: '^src/modules/([^/]+)/', pathNot: TESTS },
    to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', MODULE_ENTRY_POINTS, APP_ROUTER] },
  },
  {
    name: 'app-router-imports-only-routers',
    comment: "The app's router imports each module's router and nothing else.",
    severity: 'error',
    from: { path: APP_ROUTER },
    to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/router\\.ts$' },
  },
  {
    name: 'services-without-router',
    comment: 'Services import no routers or components.',
    severity: 'error',
    from: { path: '^src/modules/[^/]+/[^/]+\\.ts$', pathNot: [TESTS, '/router\\.ts$'] },
    to: {
      path: [APP_ROUTER, '^src/modules/[^/]+/router\\.ts$', '^src/modules/[^/]+/components/', '^src/components/'],
    },
  },
  {
    name: 'browser-safe',
    comment: 'Schemas, components and src/lib run in the browser: they import no server code and no services.',
    severity: 'error',
    from: { path: BROWSER_SAFE, pathNot: TESTS },
    to: { path: SERVER_SIDE },
  },
  {
    name: 'browser-safe-without-node',
    comment: 'Browser code cannot use Node.js modules.',
    severity: 'error',
    from: { path: BROWSER_SAFE, pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'prisma-in-services',
    comment: 'Only src/server and services use the database.',
    severity: 'error',
    from: {
      path: ['^src/(app|mail|lib|components)/', '^src/modules/.*(router|schema)\\.ts$', '/components/'],
      pathNot: TESTS,
    },
    to: { path: PRISMA },
  },
  {
    name: 'app-routes-only',
    comment: 'Routing delegates to modules.',
    severity: 'error',
    from: { path: '^src/app/', pathNot: TESTS },
    to: { path: '^src/(mail|test)/' },
  },
  {
    name: 'app-without-demo',
    comment: 'The app does not import the demo.',
    severity: 'error',
    from: { pathNot: '^src/demo/' },
    to: { path: '^src/demo/' },
  },
  {
    name: 'demo-without-pages',
    comment: 'The demo uses services and schemas, but no routing or components.',
    severity: 'error',
    from: { path: '^src/demo/', pathNot: TESTS },
    to: { path: '^src/(app|components)/|^src/modules/[^/]+/components/|^src/[^/]+$' },
  },
  {
    name: 'production-without-tests',
    comment: 'Production code imports no tests.',
    severity: 'error',
    from: { pathNot: TESTS },
    to: { path: TESTS },
  },
  {
    name: 'scripts-import-only-settings',
    comment: 'Scripts run without a build: from the app they import only settings, passwords, API keys and migrations.',
    severity: 'error',
    from: { path: '^scripts/' },
    to: {
      path: '^src/',
      pathNot: '^src/server/(settings/[^/]+|secrets/(password-rules|api-key)|migrations/[^/]+)\\.mjs$',
    },
  },
  {
    name: 'no-cycles',
    comment: 'Import cycles are not allowed.',
    severity: 'error',
    from: { pathNot: '^src/server/prisma/' },
    to: { circular: true },
  },
  {
    name: 'no-unresolvable',
    comment: 'Every import resolves.',
    severity: 'error',
    from: { path: '^(src|scripts|e2e)/' },
    to: { couldNotResolve: true },
  },
];

/** Rules for imports of code; types are exempt. */
/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const onImportsOfCode = [
  {
    name: 'router-type-only',
    comment: "The console imports the router's type only: its code must not reach the browser.",
    severity: 'error',
    from: { path: '^src/components/|^src/modules/[^/]+/components/', pathNot: TESTS },
    to: { path: APP_ROUTER },
  },
  {
    name: 'browser-safe-transitively',
    comment: 'Browser code must not reach server code through other files either.',
    severity: 'error',
    from: { path: BROWSER_SAFE, pathNot: TESTS },
    to: { path: SERVER_SIDE, reachable: true },
  },
  {
    name: 'pure-tests-without-database',
    comment: 'Tests that use the database are named *.test.ts, or *.alone.test.ts.',
    severity: 'error',
    from: { path: '\\.pure\\.test\\.ts$' },
    to: { path: '^src/test/database\\.ts$', reachable: true },
  },
  {
    name: 'no-development-packages',
    comment: 'Production code uses no devDependencies.',
    severity: 'error',
    from: { path: '^src/', pathNot: TESTS },
    to: { dependencyTypes: ['npm-dev'] },
  },
];

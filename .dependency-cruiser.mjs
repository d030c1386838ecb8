// The law of imports: app → modules → server, mail → lib, and components → lib. src/test/whole/import-law.test.ts sees it hold,
// scripts/check-imports.mjs applies it.
const TESTS = '\\.test\\.tsx?$|^src/test/|^e2e/';
const BROWSER_SAFE = '^src/(lib|components)/|^src/modules/[^/]+/(components/|schema\\.ts$)';
const SERVER_SIDE = '^src/(server|mail)/|^src/modules/[^/]+/(service|router)\\.ts$';
const MODULE_DOORS = '^src/modules/[^/]+/(service|schema)\\.ts$';
const APP_ROUTER = '^src/modules/router\\.ts$';
const PRISMA = '^src/server/prisma/|(^|/)node_modules/@prisma/(client|adapter-pg)(/|$)';

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const onAllImports = [
  {
    name: 'lib-stands-alone',
    comment: 'src/lib holds facts that are safe anywhere, so it imports nothing else of ours.',
    severity: 'error',
    from: { path: '^src/lib/', pathNot: TESTS },
    to: { path: '^src/', pathNot: '^src/lib/' },
  },
  {
    name: 'components-know-lib-only',
    comment: 'The building blocks of the console know no module; of the API they take the type of its router.',
    severity: 'error',
    from: { path: '^src/components/', pathNot: TESTS },
    to: { path: '^src/', pathNot: ['^src/(components|lib)/', APP_ROUTER] },
  },
  {
    name: 'server-and-mail-stand-below-modules',
    comment: 'src/server and src/mail are what modules stand on.',
    severity: 'error',
    from: { path: '^src/(server|mail)/', pathNot: TESTS },
    to: { path: '^src/', pathNot: '^src/(server|mail|lib)/' },
  },
  {
    name: 'mail-apart-from-server',
    comment: 'src/mail is a port: what it needs is handed to it.',
    severity: 'error',
    from: { path: '^src/mail/', pathNot: TESTS },
    to: { path: '^src/server/' },
  },
  {
    name: 'server-apart-from-mail',
    comment: 'src/server is what src/mail can do without, and the other way round.',
    severity: 'error',
    from: { path: '^src/server/', pathNot: TESTS },
    to: { path: '^src/mail/' },
  },
  {
    name: 'modules-below-app',
    comment: 'Routing imports modules, never the other way.',
    severity: 'error',
    from: { path: '^src/modules/', pathNot: TESTS },
    to: { path: '^src/app/|^src/[^/]+$' },
  },
  {
    name: 'modules-meet-at-their-doors',
    comment: 'A module uses another through its service.ts or schema.ts.',
    severity: 'error',
    from: { path: '^src/modules/([^/]+)/', pathNot: TESTS },
    to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', MODULE_DOORS, APP_ROUTER] },
  },
  {
    name: 'app-router-mounts-routers',
    comment: 'The router of the whole app imports the router of each module, and nothing else of a module.',
    severity: 'error',
    from: { path: APP_ROUTER },
    to: { path: '^src/modules/', pathNot: '^src/modules/[^/]+/router\\.ts$' },
  },
  {
    name: 'service-knows-no-router',
    comment: 'Verbs know nothing of the doors they are called through.',
    severity: 'error',
    from: { path: '^src/modules/[^/]+/[^/]+\\.ts$', pathNot: [TESTS, '/router\\.ts$'] },
    to: {
      path: [APP_ROUTER, '^src/modules/[^/]+/router\\.ts$', '^src/modules/[^/]+/components/', '^src/components/'],
    },
  },
  {
    name: 'browser-safe',
    comment: 'Schemas, components and src/lib run in the browser: they know no server code and no verbs.',
    severity: 'error',
    from: { path: BROWSER_SAFE, pathNot: TESTS },
    to: { path: SERVER_SIDE },
  },
  {
    name: 'browser-safe-without-node',
    comment: 'There is no Node in the browser.',
    severity: 'error',
    from: { path: BROWSER_SAFE, pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'prisma-in-services',
    comment: 'The database is reached in src/server and in the verbs of modules.',
    severity: 'error',
    from: {
      path: ['^src/(app|mail|lib|components)/', '^src/modules/.*(router|schema)\\.ts$', '/components/'],
      pathNot: TESTS,
    },
    to: { path: PRISMA },
  },
  {
    name: 'app-routes-only',
    comment: 'Routing leaves the work to modules.',
    severity: 'error',
    from: { path: '^src/app/', pathNot: TESTS },
    to: { path: '^src/(mail|test)/' },
  },
  {
    name: 'demo-seeds-from-outside',
    comment:
      'src/demo fills a database with what the app knows; nothing of the app knows the demo, and it has no pages.',
    severity: 'error',
    from: { pathNot: '^src/demo/' },
    to: { path: '^src/demo/' },
  },
  {
    name: 'demo-without-pages',
    comment: 'The demo seeds through services and schemas; it needs no routing and no components.',
    severity: 'error',
    from: { path: '^src/demo/', pathNot: TESTS },
    to: { path: '^src/(app|components)/|^src/modules/[^/]+/components/|^src/[^/]+$' },
  },
  {
    name: 'tests-stay-outside',
    comment: 'What ships imports no test.',
    severity: 'error',
    from: { pathNot: TESTS },
    to: { path: TESTS },
  },
  {
    name: 'scripts-read-settings-only',
    comment: 'Scripts run as they are, without a build: of the app they know the settings and the rules for passwords.',
    severity: 'error',
    from: { path: '^scripts/' },
    to: { path: '^src/', pathNot: '^src/server/(settings/settings|secrets/password-rules)\\.mjs$' },
  },
  {
    name: 'no-unresolvable',
    comment: 'Every import leads somewhere.',
    severity: 'error',
    from: { path: '^(src|scripts|e2e)/' },
    to: { couldNotResolve: true },
  },
];

/** Types may be imported where code may not. */
/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
export const onImportsOfCode = [
  {
    name: 'router-type-only',
    comment: 'The console knows the router by its type: its code must not reach the browser.',
    severity: 'error',
    from: { path: '^src/components/|^src/modules/[^/]+/components/', pathNot: TESTS },
    to: { path: APP_ROUTER },
  },
  {
    name: 'browser-safe-all-the-way',
    comment: 'What the browser runs must not lead to server code through other files either.',
    severity: 'error',
    from: { path: BROWSER_SAFE, pathNot: TESTS },
    to: { path: SERVER_SIDE, reachable: true },
  },
  {
    name: 'no-cycles',
    comment: 'Two files that need each other are one.',
    severity: 'error',
    from: { pathNot: '^src/server/prisma/' },
    to: { circular: true },
  },
  {
    name: 'no-development-packages',
    comment: 'What ships needs no package of devDependencies.',
    severity: 'error',
    from: { path: '^src/', pathNot: TESTS },
    to: { dependencyTypes: ['npm-dev'] },
  },
];

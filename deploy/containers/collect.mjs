// Copies what an image needs at run time to a folder, after `npm run build`: node collect.mjs app|mail FOLDER. Most of node_modules is
// bundled into the build, or only used by it.
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const COMMANDS = ['admin', 'audit-archive', 'backup', 'rebuild-analytics', 'restore', 'serve', 'start'];
const IMAGES = {
  app: {
    // Programs, and the sources of those that are bundled.
    programs: [
      ...COMMANDS.map((name) => `scripts/${name}.mjs`),
      'src/modules/backups/command/back-up.ts',
      'src/modules/backups/command/restore.ts',
      'src/modules/templates/rendering/worker.ts',
    ],
    files: ['.next', 'docs', 'next.config.mjs', 'public'],
  },
  mail: {
    programs: [
      'scripts/mail-agent.mjs',
      'deploy/containers/mail/wait-for-app.mjs',
      'src/agent/main.ts',
      'src/agent/answers.ts',
    ],
    files: ['deploy/containers/mail', 'deploy/host', 'deploy/mail'],
  },
};
const FILES = [
  'LICENSE',
  'node_modules/.cache/postroom',
  'node_modules/.package-lock.json',
  'package-lock.json',
  'package.json',
  'prisma/functions',
  'prisma/migrations',
  'prisma/schema',
  'scripts',
  'src',
  'tsconfig.json',
];
const SKIPPED = [
  /^\.next\/(cache|diagnostics|trace|types)/,
  /\.test\.tsx?$|^src\/test(\/|$)|^scripts\/(bare|bench|checks|containers|corpora|demo|faults)\/|^scripts\/test[-.]/,
  // Source maps, types, and Prisma's engines for other databases and of the other build, which are most of it.
  /^node_modules\/.*\.(map|d\.[mc]?ts|md)$/,
  /@prisma\/client\/runtime\/.*(mysql|sqlite|sqlserver|cockroachdb|compiler_small)/,
  // Parts of Next.js that only development, bundlers and experiments use, and its compiler.
  /^node_modules\/next\/dist\/(esm|docs|next-devtools|bundle-analyzer|compiled\/(next-devtools|.*-experimental))\//,
  /^node_modules\/next\/dist\/compiled\/next-server\/.*(\.dev|-experimental\.runtime\.prod)\.js$/,
  /^node_modules\/next\/dist\/compiled\/(@vercel\/og\/|webpack\/bundle5\.js$|.*\.development\.js$)/,
  /^node_modules\/next\/dist\/server\/capsize-font-metrics\.json$/,
  /^node_modules\/(react.*\.development\.js$|@next\/swc)/,
  // Native code for the runtime Bare.
  /^node_modules\/bare-[a-z]+\/prebuilds\//,
  // Sources and tests that packages carry.
  /^node_modules\/(bintrees\/test|zod\/src)\//,
  // The programs are bundled.
  /^node_modules\/@?esbuild\//,
  // Next.js uses it for images alone, which aren't resized here (next.config.mjs).
  /^node_modules\/(@img|sharp)\//,
];

const [name = '', target = ''] = process.argv.slice(2);
const image = IMAGES[name];
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
if (!image || !target) throw new Error('Usage: collect.mjs app|mail FOLDER');
process.chdir(root);

const traced = image.files.includes('.next') ? tracedFiles() : [];
const packages = withDependencies(await importedPackages(image.programs));
for (const path of [...FILES, ...image.files, ...packages, ...traced]) copy(path);

/** @returns {Promise<string[]>} the names of packages that the programs import */
async function importedPackages(programs) {
  const { metafile } = await build({
    entryPoints: programs,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    outdir: 'unused',
    logLevel: 'error',
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports: found }) => found.filter((one) => one.external));
  const names = imports.map(({ path }) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '');
  return [...new Set(names)].filter((one) => !one.startsWith('node:'));
}

/** @returns {Iterable<string>} the folders of these packages and of all that they need, as npm installed them */
function withDependencies(names) {
  const { packages: installed } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
  const found = new Set();
  const add = (name, from) => {
    const path = findFrom(from, name, installed);
    if (!path || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies } = installed[path];
    for (const one of Object.keys({ ...dependencies, ...optionalDependencies })) add(one, path);
  };
  for (const one of names) add(one, '');
  return found;
}

/** Finds a package as Node.js does, in the nearest node_modules. */
function findFrom(from, name, installed) {
  const path = join(from, 'node_modules', name);
  if (path in installed) return path;
  return from === ''
    ? undefined
    : findFrom(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name, installed);
}

/** @returns {string[]} the files of packages that the build needs, by the lists that Next.js wrote */
function tracedFiles() {
  const lists = readdirSync('.next', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.nft.json'))
    .map((path) => join('.next', path));
  const files = lists.flatMap((list) =>
    JSON.parse(readFileSync(list, 'utf8')).files.map((file) => relative(root, resolve(dirname(list), file))),
  );
  return [...new Set(files)].filter((file) => file.startsWith('node_modules/'));
}

function copy(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  // An optional package for another platform.
  if (!stats || SKIPPED.some((skipped) => skipped.test(path))) return;
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(path, join(target, path), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (from) => !SKIPPED.some((skipped) => skipped.test(from)) && !isOtherPackage(from, path),
  });
}

/** Packages inside of a package are listed themselves. */
function isOtherPackage(from, path) {
  return path.startsWith('node_modules/') && from !== path && basename(from) === 'node_modules';
}

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { PlainError } from '../process/plain-error.mjs';
import { bundlePrograms } from './programs.mjs';
import { runTool, toolPath } from './run-tool.mjs';
import { fingerprint, readStamp, removeStamp, writeStamp } from './stamp.mjs';

const compress = promisify(brotliCompress);
const GENERATED_CLIENT = 'src/server/prisma';
const BUILD_INPUTS = [
  'src',
  'public',
  'prisma/schema',
  'next.config.mjs',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
];

export function isClientCurrent(root) {
  return existsSync(join(root, GENERATED_CLIENT)) && readStamp(root, 'client') === clientStamp(root);
}

export async function generateClient(root) {
  const { exitCode, output } = await runTool(toolPath(root, 'prisma'), ['generate'], { root });
  if (exitCode !== 0) throw new PlainError(`The database client could not be generated:\n${output.trim()}`);
  writeStamp(root, 'client', clientStamp(root));
}

export function isBuildCurrent(root) {
  return hasBuild(root) && readStamp(root, 'build') === buildStamp(root);
}

/** Removes the stamp first and writes it last, so that an interrupted build is repeated. A file edited meanwhile isn't in it. */
export async function build(root) {
  removeStamp(root, 'build');
  const inputs = inputsOf(root);
  rmSync(buildIdPath(root), { force: true });
  const env = { ...process.env, NODE_ENV: 'production' };
  const { exitCode, output } = await runTool(toolPath(root, 'next'), ['build'], { root, env });
  if (exitCode !== 0 || !hasBuild(root)) throw new PlainError(`The build failed:\n${output.trim()}`);
  await compressFiles(join(root, '.next', 'static'));
  await bundlePrograms(root);
  writeStamp(root, 'build', buildStamp(root, inputs));
}

/** Writes scripts and style sheets a second time, with brotli, which takes too long to do on each request (src/server/http/precompressed.ts). */
async function compressFiles(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => /\.(js|css)$/.test(path));
  await Promise.all(
    paths.map(async (path) =>
      writeFile(join(folder, `${path}.br`), await compress(await readFile(join(folder, path)))),
    ),
  );
}

/** Tells whether a build of one folder is one of the other, too. */
export function isSameBuild(one, other) {
  return inputsOf(one) === inputsOf(other) && clientStamp(one) === clientStamp(other);
}

function clientStamp(root) {
  return fingerprint(root, ['prisma/schema', 'package-lock.json']);
}

/** Returns the stamp of the build that exists, if it was made from these inputs. */
function buildStamp(root, inputs = inputsOf(root)) {
  return `${inputs} ${readFileSync(buildIdPath(root), 'utf8')}`;
}

/** Without the version of Node.js: a host that got a newer one with an upgrade goes back to the build that it has. */
function inputsOf(root) {
  const facts = [process.platform, process.arch];
  const isInput = (path) => !path.startsWith(`${GENERATED_CLIENT}/`) && !/\.test\.tsx?$|^src\/test\//.test(path);
  return fingerprint(root, BUILD_INPUTS, { isInput, facts });
}

function hasBuild(root) {
  return existsSync(buildIdPath(root));
}

function buildIdPath(root) {
  return join(root, '.next', 'BUILD_ID');
}

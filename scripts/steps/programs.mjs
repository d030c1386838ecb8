// The programs in TypeScript that Next.js doesn't build. Each is bundled into one file, which starts in half the time of its sources,
// and needs two thirds of their memory.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlainError } from '../process/plain-error.mjs';
import { fingerprint, readStamp, writeStamp } from './stamp.mjs';

const RENDERING = 'src/modules/templates/rendering/worker.ts';
export const PROGRAMS = [
  RENDERING,
  'src/agent/main.ts',
  'src/modules/backups/command/back-up.ts',
  'src/modules/backups/command/restore.ts',
];
/** The files beside its sources that decide how a program is bundled. */
const SETTINGS = ['package-lock.json', 'scripts/steps/programs.mjs', 'tsconfig.json'];
/** Where a source starts a thread. */
export const THREAD = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g;

/** Bundles what a build has to have, because the folder may be one that services can't write to. */
export async function bundlePrograms(root) {
  for (const script of PROGRAMS) await bundled(root, script);
}

/** Bundles what the app starts, where it runs without a build. */
export function bundleForApp(root) {
  return bundled(root, RENDERING);
}

/**
 * Bundles a program, unless its sources are those of the last time.
 * @param {string} script such as src/agent/main.ts
 * @returns {Promise<string>} the path of a file that Node.js runs
 */
export async function bundled(root, script) {
  if (!isCurrent(root, script)) await bundle(root, script);
  return join(root, programFile(script));
}

/** Returns the files that a bundled program was made of. @returns {string[]} */
export function inputsOf(root, script) {
  return JSON.parse(readStamp(root, stampName(script)) || '{ "inputs": [] }').inputs;
}

/** Imports a bundled program into this process. */
export async function importBundled(root, script) {
  return import(pathToFileURL(await bundled(root, script)).href);
}

function isCurrent(root, script) {
  const stamp = readStamp(root, stampName(script));
  if (!stamp) return false;
  const { inputs, hash } = JSON.parse(stamp);
  return hash === fingerprint(root, inputs);
}

async function bundle(root, script) {
  const { build } = await import('esbuild');
  const inputs = new Set(SETTINGS);
  const bundling = [script];
  // A program is complete when the threads that it starts are bundled, and those that they start.
  for (const one of bundling) {
    const { metafile, outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: [one],
      outfile: programFile(one),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      target: 'node20',
      write: false,
      metafile: true,
      logLevel: 'silent',
      plugins: [threadsBeside(root, (thread) => bundling.includes(thread) || bundling.push(thread))],
    }).catch(({ message }) => {
      throw new PlainError(`${script} could not be bundled:\n${message}`);
    });
    for (const path of Object.keys(metafile.inputs)) inputs.add(path);
    for (const { path, contents } of outputFiles) replaceFile(path, contents);
  }
  writeStamp(root, stampName(script), JSON.stringify({ inputs: [...inputs], hash: fingerprint(root, [...inputs]) }));
}

/** Names the file of a thread that a source starts by that of its bundle. */
function threadsBeside(root, onThread) {
  return {
    name: 'threads',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const contents = (await readFile(path, 'utf8')).replace(THREAD, (_, file) => {
          const thread = relative(root, resolve(dirname(path), file));
          onThread(thread);
          return `new URL('./${basename(programFile(thread))}', import.meta.url)`;
        });
        return { contents, loader: 'ts' };
      }),
  };
}

/** A program that is starting reads the former file or the new one. */
function replaceFile(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const copy = `${path}.${process.pid}`;
  writeFileSync(copy, contents);
  renameSync(copy, path);
}

/** All are in one folder, so that a program finds its threads beside it. The app starts that of RENDERING by this path. */
function programFile(script) {
  const name = script.replace(/^src\//, '').replace(/\.ts$/, '');
  return `node_modules/.cache/postroom/programs/${name.replaceAll('/', '-')}.mjs`;
}

const stampName = (script) => `programs/${basename(programFile(script))}.inputs`;

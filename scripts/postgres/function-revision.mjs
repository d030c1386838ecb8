// `npm run revise:functions`: gives prisma/functions its next revision after a file changed, so that an instance of an
// earlier version leaves the functions of a later one as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  FUNCTIONS,
  hashOfFiles,
  REVISION_FILE,
  readFunctionFiles,
} from '../../src/server/migrations/function-files.mjs';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  if (await isRevised(root)) console.log('No file in prisma/functions has changed.');
  else console.log(`prisma/functions has revision ${await revise(root)}.`);
}

/** Returns whether the revision is that of the files as they are. */
export async function isRevised(root) {
  const { text, hash } = await read(root);
  return text.includes(`"${hash}"`) && !text.includes('<<<<<<<');
}

async function revise(root) {
  const { file, text, hash } = await read(root);
  // A merge leaves the revisions of both sides in the file.
  const last = Math.max(0, ...[...text.matchAll(/"revision": (\d+)/g)].map(([, revision]) => Number(revision)));
  writeFileSync(file, `${JSON.stringify({ revision: last + 1, hash }, null, 2)}\n`);
  return last + 1;
}

async function read(root) {
  const folder = join(root, FUNCTIONS);
  const file = join(folder, REVISION_FILE);
  return { file, text: readFileSync(file, 'utf8'), hash: hashOfFiles(await readFunctionFiles(folder)) };
}

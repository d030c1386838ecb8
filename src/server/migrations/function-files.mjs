import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The app runs in the root of its repository. */
export const FUNCTIONS = path.join('prisma', 'functions');
export const REVISION_FILE = 'revision.json';
const FUNCTION = /^CREATE OR REPLACE (FUNCTION [\w.]+\([^)]*\))/gm;
const VIEW = /^CREATE OR REPLACE (VIEW [\w.]+)/gm;
const TRIGGER = /^CREATE OR REPLACE (TRIGGER \w+)\s[^;]*?\s(ON [\w.]+)/gm;

/**
 * @typedef {object} FunctionFile
 * @property {string} name path in the folder, without `.sql`
 * @property {string} text
 * @property {string} hash SHA-256 of the text
 * @property {string[]} objects what it makes, as DROP takes it, such as `TRIGGER message_counted ON message`
 *
 * @typedef {{ revision: number, files: FunctionFile[] }} FunctionSet files are in an order in which they can be applied
 */

/**
 * Reads the SQL functions, triggers and views of this version of Postroom.
 * @returns {Promise<FunctionSet>}
 */
export async function readFunctions(folder = FUNCTIONS) {
  const { revision } = JSON.parse(await readFile(path.join(/*turbopackIgnore: true*/ folder, REVISION_FILE), 'utf8'));
  return { revision, files: await readFunctionFiles(folder) };
}

/** @returns {Promise<FunctionFile[]>} in an order in which they can be applied */
export async function readFunctionFiles(folder = FUNCTIONS) {
  const paths = await readdir(/*turbopackIgnore: true*/ folder, { recursive: true });
  const names = paths.filter((name) => name.endsWith('.sql')).map((name) => name.slice(0, -'.sql'.length));
  const files = await Promise.all(
    names.toSorted().map(async (name) => {
      const text = await readFile(path.join(/*turbopackIgnore: true*/ folder, `${name}.sql`), 'utf8');
      return { name, text, hash: sha256(text), objects: objectsOf(text) };
    }),
  );
  return sortByUse(files);
}

/** The sum of all files, which the revision file records. @param {readonly FunctionFile[]} files */
export function hashOfFiles(files) {
  const lines = files.map(({ name, hash }) => `${name} ${hash}`).toSorted();
  return sha256(lines.join('\n'));
}

/** @param {string} text */
function objectsOf(text) {
  return [FUNCTION, VIEW, TRIGGER].flatMap((kind) =>
    [...text.matchAll(kind)].map(([, ...parts]) =>
      parts.join(' ').replace(/\s+/g, ' ').replace('( ', '(').replace(' )', ')'),
    ),
  );
}

/**
 * Sorts files so that what one uses is made before it: Postgres checks views, and functions in the language SQL, when they
 * are made.
 * @param {FunctionFile[]} files
 */
function sortByUse(files) {
  /** @type {FunctionFile[]} */
  const sorted = [];
  /** @param {FunctionFile} file @param {FunctionFile[]} users */
  const add = (file, users) => {
    if (sorted.includes(file)) return;
    if (users.includes(file)) throw new Error(`${[...users, file].map(({ name }) => name).join(' uses ')}.`);
    const code = file.text.replace(/--.*/g, '');
    for (const other of files) if (other !== file && nameIn(other).test(code)) add(other, [...users, file]);
    sorted.push(file);
  };
  for (const file of files) add(file, []);
  return sorted;
}

/** Functions of the schema mta are called with its name. @param {FunctionFile} file */
function nameIn({ name }) {
  return new RegExp(`\\b${name.startsWith('mta/') ? 'mta\\.' : ''}${path.basename(name)}\\b`);
}

/** @param {string} text */
function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

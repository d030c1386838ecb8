// `npm run check:words`: finds words that docs/glossary.md and CONTRIBUTING.md replace by others, in text and code alike.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replacedWords } from '../testing/replaced-words.mjs';

const TEXT_FILES =
  /\.(ts|tsx|mjs|css|sql|prisma|md|yml|yaml|conf|service|cf|lua|example|html|json)$|(^|\/)[\w.-]+$(?<!\.\w+)/;
const SKIPPED =
  /^(package-lock\.json|public\/|scripts\/testing\/replaced-words\.mjs|src\/test\/whole\/words\.pure\.test\.ts)/;

/** A comment that begins so leans on the line below, and can't be read alone. Not the second line of a comment. */
const NO_SUBJECT = /(?<!^[ \t]*\/\/.*\n)^[ \t]*(?:\/\/|\/\*\*) (Of|That|Those|One that|What|Such as) /gm;

/** @returns {string[]} one line per finding, `file:line: "found", write "replacement"` */
export function findReplacedWords(path, text) {
  // A phrase may continue on the next line of a comment.
  const plain = text.replace(/(?<=\n)[ \t]*(\/\/|\*|--|#)/g, (leader) => ' '.repeat(leader.length));
  const lineOf = (index) => text.slice(0, index).split('\n').length;
  const words = replacedWords.flatMap(({ pattern, instead }) =>
    [...plain.matchAll(pattern)].map(
      ({ 0: found, index }) => `${path}:${lineOf(index)}: "${found.replace(/\s+/g, ' ')}", write ${instead}`,
    ),
  );
  const comments = [...text.matchAll(NO_SUBJECT)].map(
    ({ 0: leader, 1: found, index }) => `${path}:${lineOf(index + leader.length)}: "${found}", write what it is`,
  );
  return [...words, ...comments];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const files = stdout.split('\n').filter((path) => TEXT_FILES.test(path) && !SKIPPED.test(path));
  const findings = files
    .filter((path) => existsSync(join(root, path)))
    .flatMap((path) => findReplacedWords(path, readFileSync(join(root, path), 'utf8')));
  for (const finding of findings) console.log(finding);
  console.log(`${findings.length} replaced words in ${files.length} files`);
  if (files.length === 0 || findings.length > 0) process.exit(1);
}

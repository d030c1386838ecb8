import { structuredPatch } from 'diff';
import type { Report } from '../operations/operation';
import type { Difference } from './compare';

const MAX_LINES_PER_FILE = 200;
const CONTEXT_LINES = 3;
/** Little more than secrets. */
const NEVER_SHOWN = ['environment', 'dovecot/app-login', 'postfix/relay-credentials'];
/** Lines that can have a secret, in files that have one. */
const SECRET_LINE = /pass|secret|key|nonce|token|bearer|connect|plain/i;
const SECRET_VALUE = /(?:pass\w*|key|nonce|bearer|\{plain\})["'\s=:]*([\w.~-]{8,})/gi;
/** The password in a line of relay-credentials. */
const RELAY_PASSWORD = /^\S+ [^:\s]+:(\S+)$/gm;
const HIDDEN = '[hidden]';

/** Reports a unified diff of each file, without secrets. */
export function reportDiff(differences: Difference[], report: Report): void {
  for (const difference of differences) {
    const { path, kind } = difference;
    report('diff', `${TITLES[kind]}: ${path}`);
    if (kind === 'extra') continue;
    if (NEVER_SHOWN.includes(path)) report('diff', '  Its lines are not shown, because it contains secrets.');
    else for (const line of linesOf(difference)) report('diff', line);
  }
}

/** Secrets in a file as it is, which may not be those of the settings any more. */
export function secretsIn(differences: Difference[]): string[] {
  return differences.flatMap((difference) => {
    if (difference.kind !== 'changed' || !difference.file.hasSecret) return [];
    const found = [SECRET_VALUE, RELAY_PASSWORD].flatMap((secret) => [...difference.before.matchAll(secret)]);
    return found.flatMap(([, value]) => value ?? []);
  });
}

/** Replaces secrets wherever they appear. */
export function hideSecrets(text: string, secrets: Iterable<string>): string {
  let shown = text;
  for (const secret of secrets) if (secret.length > 0) shown = shown.replaceAll(secret, HIDDEN);
  return shown;
}

const TITLES = {
  changed: 'Changes',
  missing: 'Creates',
  extra: 'Not generated, stays as it is',
} satisfies Record<Difference['kind'], string>;

function linesOf(difference: Exclude<Difference, { kind: 'extra' }>): string[] {
  const { path, file } = difference;
  const before = difference.kind === 'changed' ? difference.before : '';
  if (before === file.text) return ['  Only its permissions or its group.'];
  const { hunks } = structuredPatch(path, path, before, file.text, undefined, undefined, { context: CONTEXT_LINES });
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: content }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...content.map((line) => (file.hasSecret ? withoutSecret(line) : line)),
  ]);
  if (lines.length <= MAX_LINES_PER_FILE) return lines;
  return [...lines.slice(0, MAX_LINES_PER_FILE), `… and ${lines.length - MAX_LINES_PER_FILE} more lines`];
}

function withoutSecret(line: string): string {
  if (!SECRET_LINE.test(line)) return line;
  const [start] = /^[ +-]\s*[\w-]*/.exec(line) ?? [''];
  return `${start} ${HIDDEN}`;
}

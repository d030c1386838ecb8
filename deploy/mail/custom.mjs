// The operator's own settings of the services, in the folder "custom" of the configuration. They become part of the generated files, so
// they are checked and applied with them, and come after the settings of Postroom.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const CUSTOM = 'custom';
/** The file of the configuration that each snippet becomes part of. */
export const SNIPPETS = {
  'postfix-main': 'postfix/main.cf',
  'postfix-master': 'postfix/master.cf',
  dovecot: 'dovecot/custom.conf',
  rspamd: 'rspamd/custom.conf',
};
const ENTRY = /^([^\s#=]+)\s*=/;
const SERVICE = /^(\S+\s+(?:inet|unix|unix-dgram|fifo|pass))\s/;

/**
 * Reads the snippets that there are. Files of editors are left out.
 * @param {string} config
 * @returns {Record<string, string>} texts that end with a line break, by name
 * @throws Error that names a file that isn't a snippet, or an entry that is there twice
 */
export function readSnippets(config) {
  const folder = join(config, CUSTOM);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !/^[.#]|~$/.test(name)) : [];
  const unknown = names.filter((name) => !Object.hasOwn(SNIPPETS, name));
  if (unknown.length > 0)
    throw new Error(`${join(CUSTOM, unknown[0] ?? '')} isn't one of ${Object.keys(SNIPPETS).join(', ')}`);
  const snippets = Object.fromEntries(
    names.toSorted().map((name) => [name, readFileSync(join(folder, name), 'utf8').replace(/\n*$/, '\n')]),
  );
  // Each process of Postfix would warn of it. That of postlogd, whose warnings go to itself, would hang at a busy moment, and all mail.
  const entries = (snippets['postfix-main'] ?? '').split('\n').flatMap((line) => ENTRY.exec(line)?.[1] ?? []);
  const repeated = entries.find((entry, index) => entries.indexOf(entry) < index);
  if (repeated) throw new Error(`${join(CUSTOM, 'postfix-main')} has ${repeated} twice`);
  return snippets;
}

/** Returns a generated file with the snippet that is part of it. @param {Record<string, string>} snippets */
export function withSnippet(path, text, snippets) {
  const [name] = Object.entries(SNIPPETS).find(([, file]) => file === path) ?? [];
  const own = name && snippets[name];
  if (!own) return text;
  const former =
    path === 'postfix/main.cf'
      ? without(text, own, ENTRY)
      : path === 'postfix/master.cf'
        ? without(text, own, SERVICE)
        : text;
  return `${former}\n# ${join(CUSTOM, name)}\n${own}`;
}

/** Removes the entries that the operator's replace, which Postfix would warn of or refuse, with their continued lines. */
function without(text, own, pattern) {
  const keyOf = (line) => pattern.exec(line)?.[1]?.replace(/\s+/g, ' ');
  const replaced = new Set(own.split('\n').map(keyOf).filter(Boolean));
  let isReplaced = false;
  return text
    .split('\n')
    .filter((line) => {
      if (/^[^\s#]/.test(line)) isReplaced = replaced.has(keyOf(line));
      return !isReplaced || line.startsWith('#') || line === '';
    })
    .join('\n');
}

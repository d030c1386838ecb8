// `npm run write:settings`: writes .env.example and the table of settings in README.md from src/server/settings/declarations.mjs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SETTINGS } from '../src/server/settings/declarations.mjs';
import { readSetting, settingNames } from '../src/server/settings/settings.mjs';

const LINE_LENGTH = 120;
const HEADER = `# Every setting has a default that works. Copy this file to .env and uncomment what you want to change.
# Environment variables override this file. Retention, limits and some others can also be changed in the console; what is set
# here takes precedence (docs/configuration.md).
#
# A secret can be in a file instead: DATABASE_URL_FILE names the one that has DATABASE_URL.
#
# npm run write:settings writes this file.
`;
const TABLE = /(?<=<!-- npm run write:settings .*-->\n).*?(?=<!-- End of the table\. -->)/s;
const CODE = /\b[A-Z]+(_[A-Z]+)+(\/[\w-]+)?\b|\/api(\/\w+)+/g;

const root = fileURLToPath(new URL('..', import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, text } of filesOfSettings()) writeFileSync(join(root, path), text);
}

/** Returns both files, by their path in the repository, as the declarations have them. */
export function filesOfSettings() {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  return [
    { path: '.env.example', text: environmentFile() },
    { path: 'README.md', text: readme.replace(TABLE, () => table()) },
  ];
}

function environmentFile() {
  const groups = [...new Set(settingNames.map((name) => SETTINGS[name].group))];
  const sections = groups.map((group) => {
    const paragraphs = settingNames.filter((name) => SETTINGS[name].group === group).map(paragraph);
    return `\n## ${group}\n\n${paragraphs.join('\n')}`;
  });
  return `${HEADER}${sections.join('')}`;
}

function paragraph(name) {
  const { type, minimum, maximum, unit, details, example, ifUnset, see } = SETTINGS[name];
  const fallback = defaultText(name);
  const sentences = [
    meaningOf(name, details),
    type === 'integer' && `Range: ${minimum} to ${maximum}${unit ? ` ${unit}` : ''}.`,
    type === 'list' && 'Separated by commas.',
    (example || !fallback) && `Default: ${ifUnset ?? (fallback || 'none')}.`,
    see && `See docs/${see}.`,
  ];
  return `${asComment(sentences.filter(Boolean).join(' '))}\n# ${name}=${example ?? fallback}\n`;
}

function asComment(text) {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    if (`${lines.at(-1)} ${word}`.length > LINE_LENGTH) lines.push('#');
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines.join('\n');
}

function table() {
  const rows = settingNames.map((name) => {
    const { see } = SETTINGS[name];
    const meaning = meaningOf(name);
    return `| \`${name}\` | ${inMarkdown(see ? `${meaning} See [docs/${see}](docs/${see}).` : meaning)} | ${defaultCell(name)} |\n`;
  });
  return `| variable | meaning | default |\n|---|---|---|\n${rows.join('')}`;
}

/** The description, and what those values mean that the console has words for. */
function meaningOf(name, details) {
  const { description, optionsText, zeroText } = SETTINGS[name];
  const zero = zeroText && `With 0, ${zeroText.charAt(0).toLowerCase()}${zeroText.slice(1)}`;
  return [description, optionsText, details, zero].filter(Boolean).join(' ');
}

function defaultCell(name) {
  const { type, unit, ifUnset } = SETTINGS[name];
  const fallback = defaultText(name);
  if (ifUnset || !fallback) return inMarkdown(ifUnset ?? 'none');
  return type === 'integer' ? `${fallback}${unit ? ` ${unit}` : ''}` : `\`${fallback}\``;
}

function inMarkdown(text) {
  return text.replace(CODE, '`$&`');
}

/** The default as it is written in the environment; empty without one. */
function defaultText(name) {
  const read = readSetting(name);
  return 'value' in read ? String(read.value ?? '') : '';
}

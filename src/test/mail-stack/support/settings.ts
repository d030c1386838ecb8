import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareConfiguration } from '@/mail/agent/configuration/compare';
import { type GeneratedFile, generateConfiguration } from '@/mail/agent/configuration/generate';
import { readInstallation } from '@/mail/agent/installation';
import { DEPLOY } from '@/mail/agent/services/control';
import { readSnippets } from '../../../../deploy/mail/custom.mjs';
import { mailServer } from './mail-server';

const settingsFile = readInstallation(mailServer.config).settings;
const original = readFileSync(settingsFile, 'utf8');

/** Writes the mail server's settings with other values. */
export function changeSettings(values: Record<string, string>): void {
  const all = { ...mailServer.settings, ...values };
  writeFileSync(
    settingsFile,
    Object.entries(all)
      .map((pair) => `${pair.join('=')}\n`)
      .join(''),
  );
}

export const readSettings = () => readFileSync(settingsFile, 'utf8');

export const writeSettings = (text: string) => writeFileSync(settingsFile, text);

export function resetSettings(): void {
  writeFileSync(settingsFile, original);
}

export const readConfig = (path: string) => readFileSync(join(mailServer.config, path), 'utf8');

/** The files that are not as the settings of the test run generate them. */
export async function driftedFiles(): Promise<string[]> {
  const differences = await compareConfiguration(mailServer.config, await generatedFiles());
  return differences.map(({ kind, path }) => `${kind} ${path}`);
}

const generated = new Map<string, GeneratedFile[]>();

/** The generator is a process, which the same input needs once. */
async function generatedFiles(): Promise<GeneratedFile[]> {
  const snippets = JSON.stringify(readSnippets(mailServer.config));
  const known = generated.get(snippets);
  if (known) return known;
  const current = readSettings();
  resetSettings();
  try {
    const { files } = await generateConfiguration(DEPLOY, settingsFile, mailServer.config);
    generated.set(snippets, files);
    return files;
  } finally {
    writeFileSync(settingsFile, current);
  }
}

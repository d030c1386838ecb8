import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareConfiguration } from '@/mail/agent/configuration/compare';
import { generateConfiguration } from '@/mail/agent/configuration/generate';
import { readInstallation } from '@/mail/agent/installation';
import { DEPLOY } from '@/mail/agent/services/control';
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
  const current = readSettings();
  resetSettings();
  try {
    const { files } = await generateConfiguration(DEPLOY, settingsFile, mailServer.config);
    return (await compareConfiguration(mailServer.config, files)).map(({ kind, path }) => `${kind} ${path}`);
  } finally {
    writeFileSync(settingsFile, current);
  }
}

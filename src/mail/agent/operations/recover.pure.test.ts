import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { beginChange, endChange, formerSettings, type Journal, workFolder } from '../configuration/journal';
import { recoverFiles } from './recover';

const NAMES =
  'HOSTNAME DOVECOT REDIS_PORT REDIS_PASSWORD SMTP_PORT SUBMISSIONS_PORT IMAPS_PORT PROBE_ADDRESS AGENT_PORT AGENT_KEY FILTER_PORT MAIL_UID TLS_CERTIFICATE TLS_KEY';

let folder: string;
let config: string;
let settings: string;
let journal: Journal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'postroom-recovery-'));
  const created = folder;
  onTestFinished(() => rmSync(created, { recursive: true }));
  config = join(folder, 'config');
  settings = join(folder, 'settings');
  mkdirSync(config);
  const values = NAMES.split(' ').map((name) => `${name}=1\n`);
  writeFileSync(join(config, 'environment'), `DATA=${folder}\nSETTINGS=${settings}\n${values.join('')}`);
  writeFileSync(join(config, 'main.cf'), 'old');
  writeFileSync(settings, 'old');
  journal = { operationId: 'a', services: [], files: [{ path: 'main.cf', isCreated: false }], settings };
});

/** The operation that sets the relay writes the settings first. */
function writeSettings(): void {
  linkSync(settings, formerSettings(settings));
  replace(settings);
}

function replace(file: string): void {
  writeFileSync(`${file}.new`, 'new');
  renameSync(`${file}.new`, file);
}

/** Recovers twice, because the agent may be killed again meanwhile. */
async function recover() {
  await recoverFiles(config);
  const found = await recoverFiles(config);
  return { found, settings: readFileSync(settings, 'utf8'), mainCf: readFileSync(join(config, 'main.cf'), 'utf8') };
}

describe('settings and configuration of an agent that was killed while it set the relay', () => {
  it('are the former ones if it was killed before it wrote the settings', async () => {
    linkSync(settings, formerSettings(settings));
    expect(await recover()).toEqual({ found: null, settings: 'old', mainCf: 'old' });
    expect(readdirSync(folder)).toEqual(['config', 'settings']);
  });

  it('are the former ones if it was killed before it changed the configuration', async () => {
    writeSettings();
    expect(await recover()).toEqual({ found: null, settings: 'old', mainCf: 'old' });
    expect(readdirSync(folder)).toEqual(['config', 'settings']);
  });

  it('are the former ones if it was killed while it changed the configuration', async () => {
    writeSettings();
    await beginChange(config, journal);
    replace(join(config, 'main.cf'));
    expect(await recover()).toEqual({ found: journal, settings: 'old', mainCf: 'old' });
    await endChange(config, settings);
    expect(readdirSync(folder)).toEqual(['config', 'settings']);
  });

  it('are the former ones if it was killed just after it wrote the journal', async () => {
    writeSettings();
    await beginChange(config, journal);
    renameSync(`${settings}.journaled`, formerSettings(settings));
    expect(await recover()).toEqual({ found: journal, settings: 'old', mainCf: 'old' });
  });

  it.each([
    ['just after the configuration was changed', async () => rmSync(join(workFolder(config), 'journal.json'))],
    ['at the end', () => endChange(config, settings)],
  ])('are the new ones if it was killed %s', async (_, end) => {
    writeSettings();
    await beginChange(config, journal);
    replace(join(config, 'main.cf'));
    await end();
    expect(await recover()).toEqual({ found: null, settings: 'new', mainCf: 'new' });
    expect(readdirSync(folder)).toEqual(['config', 'settings']);
    expect(readdirSync(config).toSorted()).toEqual(['environment', 'main.cf']);
  });
});

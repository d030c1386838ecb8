import { chownSync } from 'node:fs';
import { link, readFile, rm, stat } from 'node:fs/promises';
import {
  keepsRelayPassword,
  type OperationInput,
  type RelayInput,
  type RelaySettings,
  type RelayTls,
} from '@/lib/mail/operations';
import { replaceFile } from '../../../../deploy/mail/replace-file.mjs';
import { FROM_ENVIRONMENT, settingIn, withSettings } from '../../../../deploy/mail/settings.mjs';
import { formerSettings, restoreSettings } from '../configuration/journal';
import { applyConfig } from './apply-config';
import { type Operation, OperationFailure, type Outcome, type Run } from './operation';

type Parts = Parameters<typeof applyConfig>[0] & { unsealPassword: (sealed: string, relay: RelaySettings) => string };

/** Writes the relay to the settings file and applies it. Unless that succeeds, the former settings are back. */
export async function setRelay(parts: Parts, operation: Operation, run: Run): Promise<Outcome> {
  const { settings } = parts.read();
  const text = await readFile(settings, 'utf8');
  if (text.startsWith(FROM_ENVIRONMENT)) {
    const message =
      'This mail server gets its settings from the environment of its container: set MAIL_RELAY_HOST there.';
    return { state: 'failed', message: `${message} Nothing was changed.` };
  }
  const input = requireInput(operation.input);
  const password = input.password && input.relay && parts.unsealPassword(input.password, input.relay);
  if (password) parts.hide([password]);
  run.report('step', `Writing the relay to ${settings}`);
  await replaceSettings(settings, withSettings(text, linesOf(text, input, password)));
  let outcome: Outcome | undefined;
  try {
    outcome = await applyConfig(parts, operation, run);
    return outcome;
  } catch (error) {
    if (!(error instanceof OperationFailure)) throw error;
    return { state: 'failed', message: `${error.message} Nothing was changed.` };
  } finally {
    if (outcome?.state === 'succeeded') await rm(formerSettings(settings), { force: true });
    else await restoreSettings(settings);
  }
}

/** It comes from the database. */
function requireInput(input: OperationInput | null): RelayInput {
  if (!input || !('relay' in input)) throw new Error('Unknown relay.');
  return input;
}

/**
 * The agent's checks of the settings file refuse what isn't allowed. A password that isn't given stays for the same server and user
 * only, so that it can't be sent to another one.
 */
function linesOf(text: string, { relay }: RelayInput, password: string | null): Record<string, string | null> {
  const { destination = null, user = null, tls = null } = relay ?? {};
  const values = [destination, user, password, tls];
  if (values.some((value) => /[\r\n]/.test(value ?? ''))) throw new Error('A setting has several lines.');
  const former = {
    destination: settingIn(text, 'RELAY_HOST'),
    user: settingIn(text, 'RELAY_USER') || null,
    tls: (settingIn(text, 'RELAY_TLS') || null) as RelayTls | null,
  };
  const kept = relay !== null && user !== null && password === null && keepsRelayPassword(former, relay);
  return { RELAY_HOST: destination, RELAY_USER: user, RELAY_TLS: tls, ...(!kept && { RELAY_PASSWORD: password }) };
}

/** With the owner and the permissions that the file has. */
async function replaceSettings(settings: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(settings);
  await rm(formerSettings(settings), { force: true });
  await link(settings, formerSettings(settings));
  replaceFile(settings, text, { mode: mode & 0o777, giveTo: (temporary) => chownSync(temporary, uid, gid) });
}

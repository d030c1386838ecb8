import { setSettings } from '../settings';
import { type RawSmtpServer, type SmtpScript, startRawSmtpServer } from './raw-smtp-server';

type ScriptedMta = { server: RawSmtpServer; state: { script: SmtpScript } };

/** Starts an MTA at SMTP_URL whose behavior a test can change at any time. */
export async function startScriptedMta(): Promise<ScriptedMta> {
  const state: ScriptedMta['state'] = { script: () => undefined };
  const server = await startRawSmtpServer((...args) => state.script(...args));
  setSettings({ SMTP_URL: server.url });
  return { server, state };
}

import { type RawSmtpServer, type SmtpScript, startRawSmtpServer } from './raw-smtp-server';

type ScriptedMta = { server: RawSmtpServer; state: { script: SmtpScript } };

/** An MTA whose behaviour a test may change at any time, as the one at SMTP_URL. To be awaited in `vi.hoisted`. */
export async function startScriptedMta(): Promise<ScriptedMta> {
  const state: ScriptedMta['state'] = { script: () => undefined };
  const server = await startRawSmtpServer((...args) => state.script(...args));
  process.env.SMTP_URL = server.url;
  return { server, state };
}

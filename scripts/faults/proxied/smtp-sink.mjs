import { SMTPServer } from 'smtp-server';

/** A mail server that accepts every message and keeps its Message-ID and subject. It answers late, so that a kill can come between. */
export async function startSmtpSink(answerAfterMs) {
  /** @type {{ messageId: string, subject: string }[]} */
  const received = [];
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      stream.toArray().then((chunks) => {
        const raw = Buffer.concat(chunks).toString('utf8');
        received.push({ messageId: headerOf(raw, 'Message-ID'), subject: headerOf(raw, 'Subject') });
        setTimeout(() => done(null, '2.0.0 Ok: queued as SINK000001'), answerAfterMs);
      }, done);
    },
  });
  server.on('error', () => {});
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.server.address());
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve(undefined))),
  };
}

function headerOf(raw, name) {
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(raw)?.[1]?.trim() ?? '';
}

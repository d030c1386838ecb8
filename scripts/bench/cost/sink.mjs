// A mail server that accepts everything at once, in a process of its own; on the given port, or on a free one.
import { SMTPServer } from 'smtp-server';

const server = new SMTPServer({
  authOptional: true,
  disableReverseLookup: true,
  logger: false,
  disabledCommands: ['STARTTLS'],
  onData(stream, _session, done) {
    stream.on('end', () => done(null, '2.0.0 Ok: queued as SINK000001'));
    stream.resume();
  },
});
server.on('error', () => {});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () =>
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.server.address()).port),
);

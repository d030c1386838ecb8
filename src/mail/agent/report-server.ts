import { chmod, mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';

export type ReportServer = { close: () => Promise<void> };

/** A message that Postfix delivers, and the addresses that it is for. Longer messages are cut. */
export type DeliveredReport = {
  raw: Uint8Array;
  /** The size of the whole message. */
  sizeBytes: number;
  /** Empty for the null sender. */
  mailFrom: string;
  addresses: string[];
};

type Options = {
  path: string;
  /** Resolves once the message is handled. If it rejects, Postfix keeps the message and retries. */
  accept: (report: DeliveredReport) => Promise<void>;
  onError: (error: unknown) => void;
};

// More than any report has; what is cut is too large to be read.
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_CLIENTS = 10;
const SOCKET_TIMEOUT_MS = 5 * 60_000;

/** Takes mail with reports from Postfix by LMTP, on a unix socket that only Postfix has access to. It never bounces any. */
export async function startReportServer({ path, accept, onError }: Options): Promise<ReportServer> {
  const server = new SMTPServer({
    lmtp: true,
    name: 'reports.localhost',
    banner: 'Postroom reports',
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    authOptional: true,
    logger: false,
    maxClients: MAX_CLIENTS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    onData(stream, session, done) {
      const { mailFrom: from, rcptTo } = session.envelope;
      const addresses = rcptTo.map(({ address }) => address);
      const mailFrom = from ? from.address : '';
      readStart(stream)
        .then((read) => accept({ ...read, mailFrom, addresses }))
        .then(
          () => done(null, '2.0.0 Ok: report handled'),
          (error: unknown) => {
            onError(error);
            done(Object.assign(new Error('4.3.0 The report cannot be stored, try again later'), { responseCode: 451 }));
          },
        );
    },
  });
  server.on('error', onError);
  await mkdir(dirname(path), { recursive: true });
  // A killed process leaves its socket behind.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.server.listen(path, resolve);
  });
  await chmod(path, 0o666);
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

async function readStart(stream: SMTPServerDataStream): Promise<Pick<DeliveredReport, 'raw' | 'sizeBytes'>> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    if (total < MAX_BYTES) chunks.push(chunk);
    total += chunk.byteLength;
  }
  return { raw: Buffer.concat(chunks), sizeBytes: total };
}

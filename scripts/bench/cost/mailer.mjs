// The baseline of sends: nodemailer with as many pooled connections as it is asked for. For each message on its standard
// channel it sends that many messages to the recipient, and answers with the rate.
import { createTransport } from 'nodemailer';

const [url, connections, from = 'orders@bench.example', to = 'ann@far.example'] = process.argv.slice(2);
const tls = { rejectUnauthorized: false };
const transport = createTransport({ url, tls, pool: true, maxConnections: Number(connections), maxMessages: Infinity });

process.on('message', async (/** @type {{ count: number, text: string }} */ { count, text }) => {
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      await transport.sendMail({ from, to, subject: 'Your order', text });
    }
  };
  await Promise.all(Array.from({ length: Number(connections) }, lane));
  process.send?.(count / ((performance.now() - startedAt) / 1000));
});

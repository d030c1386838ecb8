// The baseline of sends: nodemailer with as many pooled connections as it is asked for. For each message on its standard
// channel it sends that many messages of the size, and answers with the rate.
import { createTransport } from 'nodemailer';

const [url, connections] = process.argv.slice(2);
const transport = createTransport({ url, pool: true, maxConnections: Number(connections), maxMessages: Infinity });

process.on('message', async (/** @type {{ count: number, text: string }} */ { count, text }) => {
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      await transport.sendMail({ from: 'orders@bench.example', to: 'ann@far.example', subject: 'Your order', text });
    }
  };
  await Promise.all(Array.from({ length: Number(connections) }, lane));
  process.send?.(count / ((performance.now() - startedAt) / 1000));
});

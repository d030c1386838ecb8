import { Agent, request } from 'node:http';

/**
 * Calls in parallel over connections that stay open.
 * @param {{ port: number, headers: object, connections: number, count: number }} run
 * @param {() => { path: string, method?: string, body?: string }} callOf
 * @returns {Promise<number>} calls per second
 */
export async function load({ port, headers, connections, count }, callOf) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let begun = 0;
  const lane = async () => {
    while (begun < count) {
      begun += 1;
      await ask(agent, port, headers, callOf());
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, lane));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return count / seconds;
}

function ask(agent, port, headers, { path, method = 'GET', body = '' }) {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, method, headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        Number(response.statusCode) < 300
          ? resolve(undefined)
          : reject(new Error(`${method} ${path}: ${response.statusCode} ${Buffer.concat(chunks)}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

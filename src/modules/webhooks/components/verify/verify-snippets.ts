/** Programs that receive deliveries on PORT (8080 by default); the secret is in POSTROOM_WEBHOOK_SECRET. */
export const NODE_SNIPPET = `import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const SECRET = process.env.POSTROOM_WEBHOOK_SECRET; // as shown, including whsec_

// body: the raw bytes, before the JSON is parsed
function isValid(body, headers) {
  const expected = createHmac('sha256', SECRET).update(body).digest();
  return [headers['x-service-signature'], headers['x-service-signature-previous']].some((given) => {
    const signature = Buffer.from(given ?? '', 'hex');
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isValid(body, request.headers)) return response.writeHead(401).end();
  response.writeHead(204).end(); // Respond within 10 seconds, then do the work.
  const { event, data } = JSON.parse(body);
  console.log(event, data);
}).listen(process.env.PORT ?? 8080);`;

export const PYTHON_SNIPPET = `import hashlib, hmac, json, os
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["POSTROOM_WEBHOOK_SECRET"].encode()  # as shown, including whsec_
HEADERS = ("X-Service-Signature", "X-Service-Signature-Previous")


def is_valid(body, headers):  # body: the raw bytes, before the JSON is parsed
    expected = hmac.new(SECRET, body, hashlib.sha256).hexdigest().encode()
    return any([hmac.compare_digest(expected, headers.get(name, "").encode()) for name in HEADERS])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        valid = is_valid(body, self.headers)
        self.send_response(204 if valid else 401)  # respond within 10 seconds
        self.end_headers()
        if valid:
            event = json.loads(body)
            print(event["event"], event["data"], flush=True)


HTTPServer(("", int(os.environ.get("PORT", 8080))), Receiver).serve_forever()`;

export const STANDARD_SNIPPET = `// npm install standardwebhooks
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.POSTROOM_WEBHOOK_SECRET); // as shown, including whsec_

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    // Throws unless webhook-signature matches the raw body and the timestamp is within five minutes.
    const { event, data } = webhook.verify(Buffer.concat(chunks), request.headers);
    response.writeHead(204).end();
    console.log(event, data);
  } catch {
    response.writeHead(401).end();
  }
}).listen(process.env.PORT ?? 8080);`;

/** Prints the signature of a body saved to a file, to compare with the header. */
export function opensslSnippet(secret = '"$POSTROOM_WEBHOOK_SECRET"'): string {
  return `openssl dgst -sha256 -r \\\n  -hmac ${secret} body.json`;
}

// Loaded with node --import: restricts a process to loopback connections, and to localhost in DNS.
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|::ffff:127(\.\d+){3})$/i;

function isLoopback(host) {
  return host === undefined || host === null || LOOPBACK.test(host);
}

function notFound(hostname) {
  const error = new Error(`queryA ENOTFOUND ${hostname}: the demo resolves no names.`);
  return Object.assign(error, { code: 'ENOTFOUND', hostname });
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectToLoopback(...args) {
  // Node may pass its normalized arguments as one array: [options, callback].
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const options =
    typeof first === 'object' ? first : { port: first, host: typeof second === 'string' ? second : undefined };
  const isLocal = options.path !== undefined || isLoopback(options.host);
  if (isLocal) return Reflect.apply(connect, this, args);
  process.nextTick(() =>
    this.destroy(Object.assign(new Error('The demo connects to this machine only.'), { code: 'ENETUNREACH' })),
  );
  return this;
};

const { lookup } = dns;
// @ts-expect-error: without the overloads and without __promisify__, which nothing here uses.
dns.lookup = (hostname, options, callback) => {
  const done = callback ?? options;
  if (isLoopback(hostname) || net.isIP(hostname)) return lookup(hostname, options, callback);
  return process.nextTick(done, notFound(hostname));
};
const lookupPromise = dns.promises.lookup;
// @ts-expect-error: without the overloads.
dns.promises.lookup = async (hostname, options) => {
  if (isLoopback(hostname) || net.isIP(hostname)) return lookupPromise(hostname, options);
  throw notFound(hostname);
};

for (const target of [dns.promises, dns.promises.Resolver.prototype]) {
  for (const name of queriesOf(target)) target[name] = async (hostname) => Promise.reject(notFound(hostname));
}
for (const target of [dns, dns.Resolver.prototype]) {
  for (const name of queriesOf(target)) {
    target[name] = (hostname, ...rest) => process.nextTick(rest.at(-1), notFound(hostname));
  }
}
syncBuiltinESMExports();

function queriesOf(target) {
  const names = new Set();
  for (let holder = target; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (/^(resolve|reverse)/.test(name) && typeof target[name] === 'function') names.add(name);
    }
  }
  return names;
}

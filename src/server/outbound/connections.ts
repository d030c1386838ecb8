import { Agent, type AgentOptions, type ClientRequest, type ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** How a request gets its connection. */
export type Opening = {
  /** Requests with the same key may use a connection in turn. */
  connectionKey: string;
  open: () => Promise<TLSSocket>;
};

/** Shorter than most servers wait, so that they seldom close a connection just as it is used again. */
const IDLE_MS = 4_000;
const MAX_IDLE = 256;
/** After this, certificate and addresses are checked by a new connection. */
const MAX_AGE_MS = 60_000;

export type Connections = Agent;

/** Keeps connections open for 4 s after a request, each for at most `maxAgeMs` and no more than `maxIdle` unused ones. */
export function keptConnections({ maxAgeMs = MAX_AGE_MS, maxIdle = MAX_IDLE } = {}): Connections {
  return new CheckedConnections({ keepAlive: true, timeout: IDLE_MS, maxFreeSockets: maxIdle }, { maxAgeMs, maxIdle });
}

/** Closes each connection after one request. */
export function singleConnections(): Connections {
  return new CheckedConnections({}, { maxAgeMs: 0, maxIdle: 0 });
}

/** Lets each request open its connection itself, after its checks. */
class CheckedConnections extends Agent {
  private readonly openedAt = new WeakMap<Duplex, number>();
  private readonly idle = new Set<Duplex>();

  constructor(
    options: AgentOptions,
    private readonly bounds: { maxAgeMs: number; maxIdle: number },
  ) {
    super(options);
  }

  override createConnection(
    options: ClientRequestArgs & Partial<Opening>,
    done: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const none = undefined as unknown as Duplex;
    if (!options.open) return void done(new Error('the request does not say how to connect'), none);
    options.open().then(
      (socket) => {
        this.openedAt.set(socket, performance.now());
        socket.once('close', () => this.idle.delete(socket));
        done(null, socket);
      },
      (error) => done(error, none),
    );
  }

  override getName(options: ClientRequestArgs & Partial<Opening> = {}): string {
    return options.connectionKey ?? '';
  }

  override keepSocketAlive(socket: Duplex): boolean {
    const ageMs = performance.now() - (this.openedAt.get(socket) ?? 0);
    if (this.idle.size >= this.bounds.maxIdle || ageMs >= this.bounds.maxAgeMs) return false;
    // False if the server said that it closes at once.
    const isKept = super.keepSocketAlive(socket) as unknown as boolean;
    if (isKept) this.idle.add(socket);
    return isKept;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.idle.delete(socket);
    super.reuseSocket(socket, request);
  }
}

import { describe, expect, it } from 'vitest';
import { createWriteQueue } from './write-queue';

/** A queue whose writes end on demand. */
function makeQueue() {
  const queueWrites = createWriteQueue();
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const write = (caller: string, domain: string, name: string) =>
    queueWrites(caller, (inTurn) =>
      inTurn(domain, () => {
        started.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      }),
    );
  const end = async (name: string, write: Promise<string>) => {
    ends.get(name)?.();
    await write;
    await Promise.resolve();
  };
  return { write, end, started };
}

describe('alias writes', () => {
  it('of one domain run one after the other, with the callers taking turns', async () => {
    const { write, end, started } = makeQueue();
    const many = ['a1', 'a2', 'a3', 'a4'].map((name) => write('ann', 'here', name));
    const one = write('bo', 'here', 'b1');
    expect(started).toEqual(['a1']);
    await end('a1', many[0] as Promise<string>);
    await end('a2', many[1] as Promise<string>);
    expect(started.slice(0, 3)).toContain('b1');
    await end('b1', one);
    expect(started).toContain('a3');
    expect(started).not.toContain('a4');
  });

  it('of other domains don’t wait, even for the same caller', () => {
    const { write, started } = makeQueue();
    for (let i = 0; i < 10; i++) void write('ann', 'here', `a${i}`);
    void write('ann', 'there', 'a-there');
    void write('bo', 'elsewhere', 'b-elsewhere');
    expect(started).toEqual(['a0', 'a-there', 'b-elsewhere']);
  });

  it('run four at once, in all', () => {
    const { write, started } = makeQueue();
    for (let i = 0; i < 10; i++) void write(`caller ${i}`, `domain ${i}`, `w${i}`);
    expect(started).toHaveLength(4);
  });

  it('are refused to a caller with 50 in progress, and to nobody else', async () => {
    const { write, end, started } = makeQueue();
    const own = Array.from({ length: 50 }, (_, i) => write('ann', 'here', `a${i}`));
    await expect(write('ann', 'there', 'too many')).rejects.toMatchObject({ apiCode: 'SERVICE_UNAVAILABLE' });
    void write('bo', 'there', 'b1');
    expect(started).toContain('b1');
    await end('a0', own[0] as Promise<string>);
    void write('ann', 'elsewhere', 'again');
    expect(started).toContain('again');
  });

  it('continue after one that fails', async () => {
    const queueWrites = createWriteQueue();
    const fail = () => queueWrites('ann', (inTurn) => inTurn('here', async () => Promise.reject(new Error('lost'))));
    await expect(fail()).rejects.toThrow('lost');
    expect(await queueWrites('ann', (inTurn) => inTurn('here', async () => 'done'))).toBe('done');
  });
});

import { afterAll, vi } from 'vitest';

/** Keeps what commands print out of the output of the tests. @returns takes what was printed since it was last called */
export function capturePrinted(): () => string {
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  afterAll(() => write.mockRestore());
  return () => {
    const taken = printed;
    printed = '';
    return taken;
  };
}

import type { DkimAlgorithm } from '../../dkim/schema';

export const ALGORITHMS: Record<DkimAlgorithm, string> = { 'rsa-2048': 'RSA, 2048 bits', ed25519: 'Ed25519' };

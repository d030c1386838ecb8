import type { Metadata } from 'next';
import { NodesPage } from '@/modules/cluster/components/nodes-page';

export const metadata: Metadata = { title: 'Nodes' };

export default function Page() {
  return <NodesPage />;
}

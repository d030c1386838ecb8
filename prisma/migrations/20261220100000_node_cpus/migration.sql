ALTER TABLE "cluster_node" ADD COLUMN "cpus" INTEGER;

ALTER TABLE "cluster_node" ADD COLUMN "port" INTEGER;

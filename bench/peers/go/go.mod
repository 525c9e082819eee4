module matchcloud-bench-go

go 1.19

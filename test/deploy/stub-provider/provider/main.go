// A stub of Terraform's AWS provider. It makes the calls that the provider makes, to an emulator on this machine.
package main

import (
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
)

func main() {
	log.SetOutput(os.Stderr)
	server := newServer()
	var options []tf5server.ServeOpt
	if len(os.Args) > 1 && os.Args[1] == "-stay" {
		// Says where Terraform finds it, and serves one command after the other until it is interrupted.
		options = append(options, tf5server.WithManagedDebug())
	}
	must(tf5server.Serve("stub-aws", func() tfprotov5.ProviderServer { return server }, options...))
}

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
	must(tf5server.Serve("stub-aws", func() tfprotov5.ProviderServer { return server }))
}

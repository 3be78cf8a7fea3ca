// A stub of Terraform's AWS provider. It makes the calls that the provider makes, to an emulator on this machine.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
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

// Server answers Terraform. What it does not override is never called for this provider.
type Server struct {
	tfprotov5.ProviderServer
	schemas  *Schemas
	provider *Block
	region   string
	tags     map[string]string
	cloud    *Cloud
}

func newServer() *Server {
	schemas := loadSchemas()
	for name := range schemas.Resource {
		if _, handled := handlers[name]; !handled {
			panic("stub-aws: resources.go has no handler of " + name + ", which rules.json names")
		}
	}
	for name := range schemas.Data {
		if dataSources[name] == nil {
			panic("stub-aws: resources.go does not read the data source " + name + ", which rules.json names")
		}
	}
	return &Server{schemas: schemas, provider: providerBlock()}
}

func (s *Server) GetMetadata(context.Context, *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	response := &tfprotov5.GetMetadataResponse{ServerCapabilities: &tfprotov5.ServerCapabilities{GetProviderSchemaOptional: true}}
	for _, name := range sortedKeys(s.schemas.Resource) {
		response.Resources = append(response.Resources, tfprotov5.ResourceMetadata{TypeName: name})
	}
	for _, name := range sortedKeys(s.schemas.Data) {
		response.DataSources = append(response.DataSources, tfprotov5.DataSourceMetadata{TypeName: name})
	}
	return response, nil
}

func (s *Server) GetProviderSchema(context.Context, *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	response := &tfprotov5.GetProviderSchemaResponse{
		Provider:           &tfprotov5.Schema{Block: s.provider.proto()},
		ResourceSchemas:    map[string]*tfprotov5.Schema{},
		DataSourceSchemas:  map[string]*tfprotov5.Schema{},
		ServerCapabilities: &tfprotov5.ServerCapabilities{GetProviderSchemaOptional: true},
	}
	for name, t := range s.schemas.Resource {
		response.ResourceSchemas[name] = &tfprotov5.Schema{Block: t.Block.proto()}
	}
	for name, t := range s.schemas.Data {
		response.DataSourceSchemas[name] = &tfprotov5.Schema{Block: t.Block.proto()}
	}
	return response, nil
}

func (s *Server) GetResourceIdentitySchemas(context.Context, *tfprotov5.GetResourceIdentitySchemasRequest) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov5.GetResourceIdentitySchemasResponse{}, nil
}

func (s *Server) PrepareProviderConfig(_ context.Context, request *tfprotov5.PrepareProviderConfigRequest) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return &tfprotov5.PrepareProviderConfigResponse{PreparedConfig: request.Config}, nil
}

func (s *Server) ConfigureProvider(ctx context.Context, request *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	config := decode(request.Config, s.provider.objectType())
	s.region = str(config, "region")
	s.tags = texts(one(config, "default_tags")["tags"])
	endpoint := os.Getenv("AWS_ENDPOINT_URL")
	if problem := notLoopback(endpoint); problem != "" {
		return &tfprotov5.ConfigureProviderResponse{Diagnostics: failure("stub-aws never talks to AWS", problem, nil)}, nil
	}
	s.cloud = newCloud(ctx, s.region, endpoint)
	return &tfprotov5.ConfigureProviderResponse{}, nil
}

func (s *Server) StopProvider(context.Context, *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return &tfprotov5.StopProviderResponse{}, nil
}

func (s *Server) ValidateResourceTypeConfig(_ context.Context, request *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	t := s.schemas.Resource[request.TypeName]
	config := decode(request.Config, t.Block.objectType())
	return &tfprotov5.ValidateResourceTypeConfigResponse{Diagnostics: t.validate(config)}, nil
}

func (s *Server) ValidateDataSourceConfig(context.Context, *tfprotov5.ValidateDataSourceConfigRequest) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return &tfprotov5.ValidateDataSourceConfigResponse{}, nil
}

func (s *Server) UpgradeResourceState(_ context.Context, request *tfprotov5.UpgradeResourceStateRequest) (*tfprotov5.UpgradeResourceStateResponse, error) {
	t := s.schemas.Resource[request.TypeName]
	value, err := request.RawState.UnmarshalWithOpts(t.Block.objectType(), tfprotov5.UnmarshalOpts{ValueFromJSONOpts: tftypes.ValueFromJSONOpts{IgnoreUndefinedAttributes: true}})
	if err != nil {
		return &tfprotov5.UpgradeResourceStateResponse{Diagnostics: failure("Unreadable state", err.Error(), nil)}, nil
	}
	return &tfprotov5.UpgradeResourceStateResponse{UpgradedState: encode(plain(value), t.Block.objectType())}, nil
}

// PlanResourceChange answers as the provider does, which is on the SDK v2: the legacy type system lets it keep blocks that are
// not configured. With it Terraform only logs what else is wrong of a plan or an apply.
func (s *Server) PlanResourceChange(_ context.Context, request *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	t := s.schemas.Resource[request.TypeName]
	type_ := t.Block.objectType()
	proposed := decode(request.ProposedNewState, type_)
	if proposed == nil { // to be destroyed
		return &tfprotov5.PlanResourceChangeResponse{PlannedState: request.ProposedNewState}, nil
	}
	prior := decode(request.PriorState, type_)
	planned, replace := s.plan(t, prior, proposed, decode(request.Config, type_))
	if problem := t.planProblem(prior, planned); problem != "" {
		return &tfprotov5.PlanResourceChangeResponse{Diagnostics: failure("Invalid plan", problem, nil)}, nil
	}
	response := &tfprotov5.PlanResourceChangeResponse{PlannedState: encode(planned, type_), UnsafeToUseLegacyTypeSystem: true}
	for _, name := range replace {
		response.RequiresReplace = append(response.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
	}
	return response, nil
}

func (s *Server) ReadResource(ctx context.Context, request *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	t := s.schemas.Resource[request.TypeName]
	type_ := t.Block.objectType()
	state, err := s.read(ctx, t, decode(request.CurrentState, type_))
	if err != nil {
		return &tfprotov5.ReadResourceResponse{Diagnostics: failure("reading "+t.Name, err.Error(), nil)}, nil
	}
	if state == nil {
		return &tfprotov5.ReadResourceResponse{NewState: encode(nil, type_)}, nil
	}
	return &tfprotov5.ReadResourceResponse{NewState: encode(state, type_)}, nil
}

// read gives the state with what the cloud says now; nil when the thing is gone.
func (s *Server) read(ctx context.Context, t *Type, state Object) (Object, error) {
	seen, err := handlers[t.Name].Read(ctx, s.cloud.in(str(state, "region")), state)
	if err != nil || seen == nil {
		return nil, err
	}
	result := copyOf(state)
	for name, value := range seen {
		if contains(t.Rules.JSON, name) && sameJSON(state[name], value) {
			continue
		}
		// As in the provider, null and the zero of its type are the same for what is only ever configured.
		if a := t.Block.Attributes[name]; a != nil && !a.Computed && isZero(value) && isZero(state[name]) {
			continue
		}
		result[name] = value
	}
	t.Block.fillBlocks(result)
	if _, regional := t.Block.Attributes["region"]; regional && result["region"] == nil {
		result["region"] = s.region
	}
	if all, tagged := seen["tags_all"].(Object); tagged {
		own := Object{}
		for name, value := range all {
			if _, set := texts(state["tags"])[name]; set || s.tags[name] != value {
				own[name] = value
			}
		}
		if len(own) > 0 || state["tags"] != nil {
			result["tags"] = own
		}
	}
	return result, nil
}

func (s *Server) ApplyResourceChange(ctx context.Context, request *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	t := s.schemas.Resource[request.TypeName]
	type_ := t.Block.objectType()
	prior, planned := decode(request.PriorState, type_), decode(request.PlannedState, type_)
	handler := handlers[t.Name]
	respond := func(state Object, verb string, err error) (*tfprotov5.ApplyResourceChangeResponse, error) {
		response := &tfprotov5.ApplyResourceChangeResponse{NewState: encode(nil, type_), UnsafeToUseLegacyTypeSystem: true}
		if state != nil {
			response.NewState = encode(known(state), type_)
		}
		if err != nil {
			response.Diagnostics = failure(verb+" "+t.Name, err.Error(), nil)
		}
		return response, nil
	}
	if planned == nil {
		if err := handler.Delete(ctx, s.cloud.in(str(prior, "region")), prior); err != nil {
			return respond(prior, "deleting", err)
		}
		return respond(nil, "", nil)
	}
	wanted := known(planned)
	if _, tagged := t.Block.Attributes["tags_all"]; tagged {
		wanted["tags_all"] = s.tagsAll(wanted["tags"])
	}
	if prior == nil {
		id, err := handler.Create(ctx, s.cloud.in(str(wanted, "region")), wanted)
		if id != "" {
			wanted["id"] = id
		}
		if err != nil && id != "" {
			return respond(wanted, "creating", err)
		}
		if err != nil {
			return respond(nil, "creating", err)
		}
	} else if err := handler.Update(ctx, s.cloud.in(str(wanted, "region")), prior, wanted); err != nil {
		return respond(prior, "updating", err)
	}
	state, err := s.read(ctx, t, wanted)
	if err == nil && state == nil {
		err = fmt.Errorf("%s is not there after the call that makes it", str(wanted, "id"))
	}
	if err != nil {
		return respond(wanted, "reading after the change", err)
	}
	return respond(state, "", nil)
}

// known has null where the object has Unknown.
func known(object Object) Object {
	result := Object{}
	for name, value := range object {
		if _, unknown := value.(Unknown); unknown {
			value = nil
		}
		result[name] = value
	}
	return result
}

func (s *Server) ImportResourceState(ctx context.Context, request *tfprotov5.ImportResourceStateRequest) (*tfprotov5.ImportResourceStateResponse, error) {
	t := s.schemas.Resource[request.TypeName]
	state := Object{"id": request.ID}
	t.Block.fillBlocks(state)
	imported := &tfprotov5.ImportedResource{TypeName: t.Name, State: encode(state, t.Block.objectType())}
	return &tfprotov5.ImportResourceStateResponse{ImportedResources: []*tfprotov5.ImportedResource{imported}}, nil
}

func (s *Server) ReadDataSource(ctx context.Context, request *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	t := s.schemas.Data[request.TypeName]
	type_ := t.Block.objectType()
	config := decode(request.Config, type_)
	seen, err := dataSources[t.Name](ctx, s.cloud, config)
	if err != nil {
		return &tfprotov5.ReadDataSourceResponse{Diagnostics: failure("reading data "+t.Name, err.Error(), nil)}, nil
	}
	state := copyOf(config)
	for name, value := range seen {
		if t.has(name) {
			state[name] = value
		}
	}
	if _, regional := t.Block.Attributes["region"]; regional && state["region"] == nil {
		state["region"] = s.region
	}
	return &tfprotov5.ReadDataSourceResponse{State: encode(state, type_)}, nil
}

func (s *Server) GetFunctions(context.Context, *tfprotov5.GetFunctionsRequest) (*tfprotov5.GetFunctionsResponse, error) {
	return &tfprotov5.GetFunctionsResponse{}, nil
}

func failure(summary, detail string, attribute *tftypes.AttributePath) []*tfprotov5.Diagnostic {
	return []*tfprotov5.Diagnostic{{Severity: tfprotov5.DiagnosticSeverityError, Summary: summary, Detail: detail, Attribute: attribute}}
}

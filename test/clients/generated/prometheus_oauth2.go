// Asks the API with the code by which Prometheus asks what it scrapes: its block `oauth2`.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/prometheus/common/config"
	"go.yaml.in/yaml/v2"
)

const block = `
oauth2:
  client_id: %s
  client_secret: %s
  token_url: %s/api/v1/auth/token
  scopes: ["orgs:read"]
`

func main() {
	api := os.Getenv("API")
	var scrape config.HTTPClientConfig
	text := fmt.Sprintf(block, os.Getenv("APP"), os.Getenv("SECRET"), api)
	if err := yaml.UnmarshalStrict([]byte(text), &scrape); err != nil {
		log.Fatal(err)
	}
	client, err := config.NewClientFromConfig(scrape, "custodia")
	if err != nil {
		log.Fatal(err)
	}
	for path, status := range map[string]int{"/api/v1/orgs": http.StatusOK, "/api/v1/clients": http.StatusForbidden} {
		response, err := client.Get(api + path)
		if err != nil {
			log.Fatal(err)
		}
		if response.StatusCode != status {
			log.Fatalf("%s answered %s", path, response.Status)
		}
	}
}
